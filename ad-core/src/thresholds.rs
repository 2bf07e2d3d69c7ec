//! The thresholds of fusion and of the back end: the sizes at which they choose another form of a
//! loop, and the bounds of their searches.

/// The equations that a search for a product or a reduction under an array looks at, so that the
/// search takes bounded time.
pub(crate) const OPERANDS_SEARCHED: usize = 16;

/// The places where one cheap operation on stored operands is computed again instead of being
/// stored: reading its result costs as much.
pub(crate) const CHEAP_REPEATS: usize = 3;

/// The same in the body of a loop with state, whose arrays are in cache, so that passes over them
/// dominate.
pub(crate) const CHEAP_REPEATS_IN_BODIES: usize = 8;

/// The selections and comparisons that an inlined equation consists of: longer chains make code,
/// and its running time, grow with the square of their length.
pub(crate) const FREE_CHAIN: usize = 16;

/// How often arrays over rows of different lengths are chosen anew for storage by entries.
pub(crate) const ROUNDS_OF_ROWS: usize = 4;

/// How often elements of arrays that something changes are read before: each round looks for what
/// cannot come before all changes.
pub(crate) const ROUNDS_OF_READS: usize = 4;

/// The multiplications that take as long as the call of a matrix kernel: smaller products are
/// loops.
pub(crate) const PRODUCTS_PER_CALL: i64 = 64;

/// The terms of a sum of products that is computed inside another sum instead of being stored.
pub(crate) const SHORT_SUM: i64 = 4;

/// The members of a conjunction that are searched for a bound, so that the search takes bounded
/// time.
pub(crate) const CONJUNCTS_SEARCHED: usize = 16;

/// The indices at an end of a loop that do not pay for filling the array with zeros first.
pub(crate) const SPARED_INDICES: i64 = 4;

/// The length of an axis up to which the positions that conditions leave are found one by one: one
/// word has a bit for each.
pub(crate) const POSITIONS_LISTED: i64 = 64;

/// The equations that are looked at to show that the conditions around a product leave no element
/// out: choices in choices are looked at again for each way.
pub(crate) const CHOICES_SEARCHED: usize = 256;

/// The rank of arrays that are made in tiles: matrices of usual sizes fit a cache.
pub(crate) const TILED_RANK: usize = 3;

/// The arrays of this rank that tiles must keep from being stored as a whole.
pub(crate) const ARRAYS_SAVED: usize = 2;

/// The axes that are tried as the lane of tiles: each takes a pass over the program.
pub(crate) const LANES_TRIED: usize = 4;

/// The elements of a row of sums from which on a tile has several rows, since each tile adds a
/// row to the sums.
pub(crate) const LONGEST_ROW_OF_TOTALS: i64 = 1024;

/// The elements that a tile makes for each row of a matrix product: every tile reads the other
/// matrix as a whole, which pays off from some thirty rows on.
pub(crate) const ELEMENTS_BESIDE_A_ROW: i64 = 1024;

/// The elements for each row of a product that adds up tiles: a tile has at least some hundred
/// rows, since the result is added as a whole for each.
pub(crate) const ELEMENTS_BESIDE_A_ROW_OF_PRODUCT: i64 = 128;

/// The real operations of a function that a later phase of tiles computes again instead of
/// keeping its result.
pub(crate) const OPERATIONS_REPEATED: u64 = 2;

/// The scalars of a family, so that functions do not become too large to compile.
pub(crate) const SCALARS_OF_FAMILY: usize = 2000;

/// The families that are tried for a step, so that fusion takes linear time.
pub(crate) const FAMILIES_TRIED: usize = 8;

/// What an elementary function takes longer where its loop is not vectorised, in half
/// nanoseconds.
pub(crate) const CALL_OUTSIDE_VECTORS: usize = 6;

/// What an element takes that one pass writes and the next one reads, in half nanoseconds.
pub(crate) const ELEMENT_IN_MEMORY: usize = 4;

/// The operations that an elementary function counts as where loops are divided among threads.
pub(crate) const OPERATIONS_OF_CALL: i64 = 16;

/// The operations of an elementwise step from which on threads share it: below, memory is the
/// limit.
pub(crate) const OPERATIONS_OF_SHARED_INDEX: i64 = 8;

/// The elements of a row from which on it is worth slices: making a slice takes a few
/// instructions.
pub(crate) const ROW_WORTH_SLICES: i64 = 8;

/// The elements of a row from which on it is worth slices and partial sums.
pub(crate) const ROW_WORTH_PARTS: i64 = 16;

/// The arrays that the runtime adds to in one loop: it has a function for each number.
pub(crate) const ARRAYS_ADDED_TOGETHER: usize = 8;

/// The numbers that the runtime sums in one loop: it has a function for each number.
pub(crate) const TOTALS_TOGETHER: usize = 8;

/// The instructions of arithmetic that are done for several elements at once, with totals in
/// registers.
pub(crate) const LIGHT_BESIDE_TOTALS: usize = 16;

/// The rows that they read: of more, LLVM does not inline what stands at two places.
pub(crate) const ROWS_BESIDE_TOTALS: usize = 3;

/// The instructions of a term that counts as light: its reduction has fewer partial results,
/// which stay in registers.
pub(crate) const LIGHT_TERM: usize = 8;

/// The instructions of a light term under conditions on data, with those of the conditions.
pub(crate) const MASKED_TERM: usize = 16;

/// The sums of a point that stay in registers through an inner loop.
pub(crate) const SUMS_IN_REGISTERS: usize = 2;

/// The operations and reads of such a point, which leave registers for the sums.
pub(crate) const LIGHT_POINT: usize = 16;

/// The states of a loop that stay in registers through its steps.
pub(crate) const STATES_IN_REGISTERS: usize = 3;

/// The indices that are peeled off a loop at each end: each is a copy of the body.
pub(crate) const PEELED_INDICES: i64 = 4;

/// The nodes of a loop that is peeled or unswitched: its body is written several times.
pub(crate) const NODES_OF_PEELED_LOOP: usize = 64;

/// The steps of a loop that LLVM unrolls, so that there is no rest of a vector.
pub(crate) const UNROLLED_STEPS: i64 = 4;

/// The elements of the longest vector: an `f32` with AVX-512.
pub(crate) const LARGEST_VECTOR: i64 = 16;

/// The points of a block: shorter blocks are no better than short sums.
pub(crate) const SHORTEST_BLOCK: i64 = 16;

/// The elements of a point whose loop is turned inside out, and the terms of its short sums.
pub(crate) const ELEMENTS_OF_POINT: i64 = 4;

/// The elements of an array on the stack, which is copied where it is moved.
pub(crate) const ELEMENTS_ON_STACK: i64 = 64;

/// The arrays that tiles make where they stay: the runtime has a tuple of places for each number.
pub(crate) const ARRAYS_IN_PLACE: usize = 4;

/// The arrays that threads make together: the runtime has a tuple of pieces for each number.
pub(crate) const ARRAYS_IN_SHARES: usize = 21;

/// The arrays that the runtime fills in one loop: it has an implementation for each number.
pub(crate) const ARRAYS_FILLED_TOGETHER: usize = 16;

/// The states that the runtime changes in one pass over a tile.
pub(crate) const STATES_CHANGED_TOGETHER: usize = 8;

/// The steps of a loop from which on choosing the instruction set at run time pays off.
pub(crate) const STEPS_WORTH_DISPATCH: i64 = 16;

/// The indices of a loop that runs on both sides of a condition: a branch would save too little.
pub(crate) const INDICES_WITHOUT_BRANCH: i64 = 16;

/// The letters of a place that is compared with others, written down.
pub(crate) const LONGEST_PLACE: usize = 400;

/// The tokens of a tile that LLVM inlines into what is compiled for an instruction set.
pub(crate) const INLINED_TILE: usize = 1000;

/// The tokens of a statement that is worth a call.
pub(crate) const LOOP_OF_ITS_OWN: usize = 40;
