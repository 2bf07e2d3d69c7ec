//! The time of a step for 1 to 1,024 ranks: computation measured here, communication by a model.

use crate::model::{Network, Part, Shard};
use cotangent::Parameters;
use cpu_time::ThreadTime;
use std::collections::HashMap;
use std::fmt::Write;

/// A network: `latency + bytes / bandwidth` for a message between two ranks, all ranks at once.
struct Link {
    name: &'static str,
    /// In seconds.
    latency: f64,
    /// In bytes per second.
    bandwidth: f64,
}

const LINKS: [Link; 2] = [
    Link {
        name: "Ethernet, 10 Gbit/s, 30 µs",
        latency: 30e-6,
        bandwidth: 1.25e9,
    },
    Link {
        name: "InfiniBand, 200 Gbit/s, 2 µs",
        latency: 2e-6,
        bandwidth: 25e9,
    },
];

/// How many rows each of so many ranks has.
type Rows = fn(usize) -> usize;

const SCALINGS: [(&str, Rows); 2] = [
    ("32,768 rows, shared by all ranks", |ranks| 32_768 / ranks),
    ("512 rows for each rank", |_| 512),
];

impl Link {
    /// `2 (p − 1)` messages of `1 / p` of the bytes: each rank sends to the next one in a ring.
    fn ring(&self, bytes: f64, ranks: usize) -> f64 {
        let p = ranks as f64;
        2.0 * (p - 1.0) * (self.latency + bytes / p / self.bandwidth)
    }

    /// `log₂ p` messages of all bytes: ranks at distances 1, 2, 4, .. exchange their sums.
    fn doubling(&self, bytes: f64, ranks: usize) -> f64 {
        f64::from(ranks.ilog2()) * (self.latency + bytes / self.bandwidth)
    }

    fn all_reduce(&self, bytes: f64, ranks: usize) -> f64 {
        self.ring(bytes, ranks).min(self.doubling(bytes, ranks))
    }

    /// The time of a step whose reductions start when their parts are ready, one after the other.
    fn overlapped(&self, ready: &[f64; 4], bytes: &[f64; 4], ranks: usize) -> f64 {
        let parts = ready.iter().zip(bytes);
        parts.fold(0.0, |free, (ready, bytes)| {
            ready.max(free) + self.all_reduce(*bytes, ranks)
        })
    }
}

/// After how many seconds on a processor each part of the gradient of a shard is ready: the least
/// of some runs.
fn ready(network: &Network, rows: usize) -> [f64; 4] {
    let shard = Shard::new(rows, 0, 1);
    let mut ready = [f64::INFINITY; 4];
    for _ in 0..(8192 / rows).clamp(3, 30) {
        let (start, mut number) = (ThreadTime::now(), 0);
        shard.gradient(network, |_| {
            ready[number] = start.elapsed().as_secs_f64().min(ready[number]);
            number += 1;
        });
    }
    ready
}

/// A step of a rank, with what [`ready`] measured.
struct Step {
    ranks: usize,
    rows: usize,
    ready: [f64; 4],
}

impl Step {
    /// A row of a table. `alone` is the step of one rank.
    fn row(&self, link: &Link, bytes: &[f64; 4], alone: &Step) -> String {
        let all: f64 = bytes.iter().sum();
        let [.., compute] = self.ready;
        let (ring, doubling) = (link.ring(all, self.ranks), link.doubling(all, self.ranks));
        let overlapped = link.overlapped(&self.ready, bytes, self.ranks);
        let share = self.rows as f64 / alone.rows as f64;
        let efficiency = 100.0 * share * alone.ready[3] / overlapped;
        let times = [
            compute,
            ring,
            doubling,
            compute + ring.min(doubling),
            overlapped,
        ];
        let [compute, ring, doubling, after, overlapped] = times.map(|time| 1e3 * time);
        format!(
            "| {} | {} | {compute:.2} | {ring:.2} | {doubling:.2} | {after:.2} | {overlapped:.2} \
             | {efficiency:.0} % |\n",
            self.ranks, self.rows,
        )
    }
}

/// The page, in Markdown.
pub fn page() -> String {
    let network = Network::new();
    let bytes = Part::lengths(&network).map(|length| 8.0 * length as f64);
    let mut page = format!(
        "\
# Time of a step, simulated

`cargo run --release -- simulate` writes this page. It measures how long one thread computes the
parts of the gradient of its shard, for each size of a shard (processor time, the least of at least
three runs). It adds the all-reduces of {} parameters ({:.0} KB) by a model of the network: a
message of m bytes takes `latency + m / bandwidth`, whatever else the network does. An all-reduce
takes the shorter of a ring, `2 (p − 1)` messages of `m / p` bytes, and recursive doubling, `log₂ p`
messages of m bytes.

- “After” reduces the whole gradient after computing it, “overlapped” each layer as soon as its
  gradient is ready. Where latency is all, three messages are slower than one.
- The efficiency is that of “overlapped”: the computing time of all rows on one rank, divided by the
  ranks and by the time of the step. It exceeds 100 % where the rows of a rank fit in its cache and
  those of one rank do not.
- The model leaves out slow ranks, topology, and the processor time of a reduction.
",
        network.count(),
        bytes.iter().sum::<f64>() / 1e3,
    );
    let mut measured = HashMap::new();
    for (scaling, rows_of) in SCALINGS {
        let steps: Vec<Step> = (0..=10)
            .map(|k| {
                let (ranks, rows) = (1 << k, rows_of(1 << k));
                let ready = *measured
                    .entry(rows)
                    .or_insert_with(|| ready(&network, rows));
                Step { ranks, rows, ready }
            })
            .collect();
        for link in &LINKS {
            write!(page, "\n## {scaling}: {}\n\n", link.name).expect("strings take all");
            page += "| ranks | rows each | compute, ms | ring, ms | doubling, ms | after, ms \
                     | overlapped, ms | efficiency |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n";
            for step in &steps {
                page += &step.row(link, &bytes, &steps[0]);
            }
        }
    }
    page
}
