//! Worked instances of the evaluations, with values that an independent implementation computed.

use serde_json::{Value, json};

/// The answer to a message.
fn answer(message: &Value) -> Value {
    let mut out = vec![];
    cotangent_gradbench::respond(&message.to_string(), &mut out).expect("a Vec takes everything");
    serde_json::from_slice(&out).expect("an answer is JSON")
}

/// The output of a function for an input, which runs twice.
fn output(module: &str, function: &str, mut input: Value) -> Value {
    if let Some(fields) = input.as_object_mut() {
        fields.insert("min_runs".into(), 2.into());
        fields.insert("min_seconds".into(), 0.into());
    }
    let answer = answer(&json!({
        "id": 7, "kind": "evaluate", "module": module, "function": function, "input": input,
    }));
    assert_eq!(answer["id"], 7, "{answer}");
    assert_eq!(answer["success"], true, "{answer}");
    let runs = if module == "hello" { 1 } else { 2 };
    assert_eq!(
        answer["timings"].as_array().map(Vec::len),
        Some(runs),
        "{answer}"
    );
    answer["output"].clone()
}

/// Compares two values: numbers to a relative error, everything else exactly.
fn assert_close(found: &Value, expected: &Value) {
    compare(found, expected).unwrap_or_else(|place| {
        panic!("{place}\nfound    {found}\nexpected {expected}");
    });
}

fn compare(found: &Value, expected: &Value) -> Result<(), String> {
    if let (Some(a), Some(b)) = (found.as_f64(), expected.as_f64()) {
        let is_close = (a - b).abs() <= 2e-11 * (a.abs() + b.abs()) + 1e-14;
        return is_close.then_some(()).ok_or(format!("{a} is not {b}"));
    }
    match (found, expected) {
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => (a.iter().zip(b).enumerate())
            .try_for_each(|(k, (a, b))| compare(a, b).map_err(|e| format!("[{k}] {e}"))),
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => (a.iter().zip(b))
            .try_for_each(|((key, a), (_, b))| compare(a, b).map_err(|e| format!("{key}: {e}"))),
        _ if found == expected => Ok(()),
        _ => Err("different kinds, lengths or keys".into()),
    }
}

#[test]
fn hello() {
    assert_eq!(output("hello", "square", json!(8)), json!(64.0));
    assert_eq!(output("hello", "double", json!(64.0)), json!(128.0));
}

/// The instance of bundle adjustment, with a rotation.
fn cameras_and_points(rotation: [f64; 3]) -> Value {
    let [x, y, z] = rotation;
    json!({
        "n": 2, "m": 3, "p": 10,
        "cam": [x, y, z, 0.5, -0.4, -2.0, 1.5, 0.05, -0.1, 0.02, -0.01],
        "x": [0.3, 0.6, 1.2],
        "w": 0.8,
        "feat": [0.2, -0.15],
    })
}

#[test]
fn ba() {
    let input = || cameras_and_points([0.1, -0.2, 0.3]);
    let errors = json!({
        "reproj_error": {"elements": [-0.528236918949, 0.225985811082], "repeated": 10},
        "w_err": {"element": 0.36, "repeated": 10},
    });
    assert_close(&output("ba", "objective", input()), &errors);

    let row: Vec<usize> = (0..=20).map(|k| 15 * k).chain(301..=310).collect();
    let columns: Vec<usize> = (0..11).chain([22, 23, 24, 31]).collect();
    let columns = [columns.clone(), columns, vec![40]].concat();
    let values = json!([
        0.240112696445,
        1.30746930623,
        -0.270549510525,
        -0.386367278224,
        0.108059986152,
        -0.0579167005616,
        -0.272157945966,
        0.8,
        0,
        -0.0566128293799,
        -0.00787117710106,
        0.386367278224,
        -0.108059986152,
        0.0579167005616,
        -0.660296148686,
        -1.25833473187,
        0.106267381629,
        -0.285222240604,
        -0.0952196882617,
        -0.359885112375,
        0.106512867101,
        0.123990540721,
        0,
        0.8,
        0.0257918441501,
        0.00358597468617,
        0.0952196882617,
        0.359885112375,
        -0.106512867101,
        0.282482263852,
        -1.6,
    ]);
    let jacobian = json!({"rows": row, "cols": columns, "vals": values});
    assert_close(&output("ba", "jacobian", input()), &jacobian);
}

#[test]
fn ba_without_a_rotation() {
    let input = || cameras_and_points([0.0; 3]);
    let errors = output("ba", "objective", input());
    assert_close(
        &errors["reproj_error"]["elements"],
        &json!([-0.195144607544, 0.41572303772]),
    );
    let jacobian = output("ba", "jacobian", input());
    let by_rotation = json!([
        &jacobian["vals"].as_array().expect("values")[..3],
        &jacobian["vals"].as_array().expect("values")[15..18],
    ]);
    let expected = json!([
        [0.0244105195999, 1.20719582462, -0.37572303772],
        [-1.3243663187, -0.0244105195999, -0.0751446075439],
    ]);
    assert_close(&by_rotation, &expected);
}

#[test]
fn det() {
    let input = || json!({"A": [2, -1, 0.5, 1, 3, -2, 0.25, 4, 1.5], "ell": 3});
    assert_close(&output("det", "primal", input()), &json!(28.625));
    let gradient = json!([12.5, -2, 3.25, 3.5, 2.875, -8.25, 0.5, 4.5, 7]);
    assert_close(&output("det", "gradient", input()), &gradient);
}

#[test]
fn gmm() {
    let input = || {
        json!({
            "d": 2, "k": 2, "n": 3, "m": 1, "gamma": 0.8,
            "x": [[1, -0.5], [0.25, 0.75], [-1.5, 0.3]],
            "alpha": [0.3, -0.5],
            "mu": [[0.1, 0.4], [-0.3, 0.8]],
            "q": [[0.2, -0.1], [-0.4, 0.3]],
            "l": [[0.7], [-0.6]],
        })
    };
    assert_close(&output("gmm", "objective", input()), &json!(-19.5769609141));
    let gradient = json!({
        "alpha": [-0.138120795621, 0.138120795621],
        "mu": [[0.8915866789, -0.113050122079], [-0.280989449325, -0.155312967625]],
        "q": [[-0.0404246353806, 2.13862588126], [1.22074066723, 0.836732546236]],
        "l": [[-0.740971149528], [0.544673033316]],
    });
    assert_close(&output("gmm", "jacobian", input()), &gradient);
}

#[test]
fn gmm_packs_the_triangle_by_columns() {
    let input = || {
        json!({
            "d": 4, "k": 1, "n": 1, "m": 0, "gamma": 1,
            "x": [[1, 2, -1, 0.5]],
            "alpha": [0.4],
            "mu": [[0, 0, 0, 0]],
            "q": [[0, 0, 0, 0]],
            "l": [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]],
        })
    };
    assert_close(&output("gmm", "objective", input()), &json!(-20.0853162288));
    let gradient = json!({
        "alpha": [0],
        "mu": [[1.57, 2.7, 0.72, 1.2]],
        "q": [[-1, -4.2, 0, -0.6]],
        "l": [[-2.2, -0.2, -1.5, -0.4, -2.9, 0.6]],
    });
    assert_close(&output("gmm", "jacobian", input()), &gradient);
}

#[test]
fn gmm_in_one_dimension_has_nothing_below_the_diagonal() {
    let input = json!({
        "d": 1, "k": 2, "n": 2, "m": 0, "gamma": 1,
        "x": [[1], [2]], "alpha": [0, 0], "mu": [[0], [1]], "q": [[0], [0]], "l": [[], []],
    });
    assert_eq!(output("gmm", "jacobian", input)["l"], json!([[], []]));
}

#[test]
fn kmeans() {
    let input = || {
        json!({
            "points": [[0, 0], [1, 0.5], [0.2, -0.4], [3, 3], [2.5, 3.5]],
            "centroids": [[0.5, 0.25], [2.6, 2.9]],
        })
    };
    assert_close(&output("kmeans", "cost", input()), &json!(1.6775));
    let step = json!([[0.1, 0.216666666667], [-0.15, -0.35]]);
    assert_close(&output("kmeans", "dir", input()), &step);
}

#[test]
fn llsq() {
    let cases = [
        (5, 9.86328125, json!([4.375, -6.125, 2.84375])),
        (
            4,
            8.97222222222,
            json!([3.66666666667, -5.44444444444, 2.62962962963]),
        ),
    ];
    for (n, value, gradient) in cases {
        let input = || json!({"x": [0.5, -1.25, 0.75], "n": n});
        assert_close(&output("llsq", "primal", input()), &json!(value));
        assert_close(&output("llsq", "gradient", input()), &gradient);
    }
}

#[test]
fn lse() {
    let cases = [
        (
            json!([0.5, -1, 2, 0.25]),
            2.36927899845,
            json!([
                0.154234825284,
                0.0344144412661,
                0.691232530742,
                0.120118202708
            ]),
        ),
        (
            json!([1000, 1000, 999]),
            1000.8619948,
            json!([0.422318798252, 0.422318798252, 0.155362403497]),
        ),
        (
            json!([-1000, -1001]),
            -999.686738312,
            json!([0.73105857863, 0.26894142137]),
        ),
    ];
    for (x, value, gradient) in cases {
        let input = || json!({"x": x});
        assert_close(&output("lse", "primal", input()), &json!(value));
        assert_close(&output("lse", "gradient", input()), &gradient);
    }
}

#[test]
fn lstm() {
    let table = |rows: i32, columns: i32, element: fn(i32, i32) -> i32| {
        let row = |r| {
            (0..columns)
                .map(|c| f64::from(element(r, c)) / 10.0)
                .collect::<Vec<_>>()
        };
        (0..rows).map(row).collect::<Vec<_>>()
    };
    let input = || {
        json!({
            "main_params": table(4, 8, |r, c| (5 * r + 3 * c) % 7 - 3),
            "state": table(4, 2, |r, c| 2 * r - c + 1),
            "extra_params": [[0.5, -0.3], [0.8, 0.4], [-0.2, 0.1]],
            "sequence": [[1, 0], [0, 1], [1, 1]],
        })
    };
    assert_close(&output("lstm", "objective", input()), &json!(1.01223353661));
    let gradient = json!([
        -4.59410857982e-06,
        2.7003020019e-06,
        -4.55800719617e-07,
        -8.51529638476e-07,
        -1.09312490666e-05,
        3.91498494195e-06,
        9.83446904021e-06,
        -8.50212415382e-06,
        5.52893369191e-06,
        -7.78914695364e-05,
        -1.04283232141e-05,
        -7.57501206031e-05,
        -1.94979252571e-05,
        -0.00011109811779,
        0.000229544895594,
        -0.000655053364076,
        -1.72321037507e-05,
        -0.000751573645606,
        -0.000389005777743,
        0.000974734828828,
        0.000213535687837,
        -0.000393178743525,
        -0.00453100613267,
        -0.00985473551801,
        -0.0049553453409,
        -0.00772685773498,
        -0.00211045941879,
        0.0032210613407,
        -0.001332171048,
        -0.00399265594154,
        -0.024771643577,
        -0.0323524321999,
        -1.61603447875e-06,
        2.6099899613e-06,
        -0.00576448457635,
        -0.0191564134324,
        -0.0797578372774,
        -0.291587061554,
    ]);
    assert_close(&output("lstm", "jacobian", input()), &gradient);
}

#[test]
fn ode() {
    let input = || json!({"x": [0.9, -0.8, 1.1, 0.7], "s": 3});
    let y = json!([1.8, -1.44, -1.056, -0.3696]);
    assert_close(&output("ode", "primal", input()), &y);
    let gradient = json!([-0.410666666667, 0.462, -0.336, -0.528]);
    assert_close(&output("ode", "gradient", input()), &gradient);

    let input = || json!({"x": [0.9, -0.8, 1.1, 0.7, -1.2, 1.3], "s": 2});
    let y = json!([1.8, -1.44, -1.056, -0.3696, 0.16632, 0.06006]);
    assert_close(&output("ode", "primal", input()), &y);
    let gradient = json!([0.0667333333333, -0.075075, 0.0546, 0.0858, -0.05005, 0.0462]);
    assert_close(&output("ode", "gradient", input()), &gradient);
}

#[test]
fn particle() {
    for mode in ["rr", "fr", "rf", "ff"] {
        let found = output("particle", mode, json!({"w": 0.0}));
        assert_close(&found, &json!(0.2071918746486116));
    }
}

#[test]
fn saddle() {
    for mode in ["rr", "fr", "rf", "ff"] {
        let found = output("saddle", mode, json!({"start": [1.0, 1.0]}));
        let end = 8.246324826140356e-6;
        assert_close(&found, &json!([end, end, end, end]));
        let found = output("saddle", mode, json!({"start": [0.5, -1.5]}));
        let (first, second) = (4.12316241307e-6, -1.23694872392e-5);
        assert_close(&found, &json!([first, second, first, second]));
    }
}

/// An instance of hand tracking: four vertices of 22 bones, and two points.
fn hand(is_mirrored: bool, theta: &[f64], us: Value, correspondences: [usize; 2]) -> Value {
    let affine = |turn: [[f64; 3]; 3], shift: [f64; 3]| {
        let row = |r: usize| [turn[r][0], turn[r][1], turn[r][2], shift[r]];
        [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]]
    };
    let still = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let turned = [[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]];
    let turned_back = [[0.8, 0.6, 0.0], [-0.6, 0.8, 0.0], [0.0, 0.0, 1.0]];
    let bones = 0..22;
    let parents = bones.clone().map(|b| match b {
        0 => -1,
        1 | 5 | 9 | 13 | 17 | 21 => 0,
        _ => b - 1,
    });
    let relatives = bones.clone().map(|b| {
        let turn = if b % 2 == 1 { turned } else { still };
        affine(turn, [0.1, 0.02 * f64::from(b), 0.05])
    });
    let absolutes = bones.map(|b| affine(turned_back, [-0.1, 0.05, -0.02 * f64::from(b)]));
    let weights = |v: usize| (0..22).map(move |b| ((3 * v + b) % 5) as f64 / 44.0);
    json!({
        "theta": theta,
        "us": us,
        "data": {
            "correspondences": correspondences,
            "points": [[0.1, 0.2, 0.3], [-0.4, 0.5, 0.6]],
            "model": {
                "bone_count": 22,
                "bone_names": vec!["bone"; 22],
                "parents": parents.collect::<Vec<_>>(),
                "base_relatives": relatives.collect::<Vec<_>>(),
                "inverse_base_absolutes": absolutes.collect::<Vec<_>>(),
                "base_positions": [
                    [0.3, 0.1, -0.2, 1], [-0.1, 0.4, 0.2, 1], [0.2, -0.3, 0.5, 1], [0.6, 0.2, 0.1, 1],
                ],
                "weights": (0..4).map(|v| weights(v).collect()).collect::<Vec<Vec<f64>>>(),
                "triangles": [[0, 1, 2], [1, 3, 2]],
                "is_mirrored": is_mirrored,
            },
        },
    })
}

/// The pose of the instances of hand tracking.
fn pose() -> Vec<f64> {
    (0..26)
        .map(|i| (f64::from(7 * i % 11) - 5.0) / 10.0)
        .collect()
}

/// A sum over a matrix that holds each entry to its place.
fn checksum(matrix: &Value) -> f64 {
    let rows = matrix.as_array().expect("rows").iter().enumerate();
    rows.flat_map(|(r, row)| {
        let row = row.as_array().expect("a row").iter().enumerate();
        row.map(move |(c, x)| ((r + 1) * (c + 1)) as f64 * x.as_f64().expect("a number"))
    })
    .sum()
}

#[test]
fn ht() {
    let input = || hand(false, &pose(), json!([]), [2, 0]);
    let distances = json!([
        -0.827991324223,
        -0.187643528049,
        0.361790992779,
        -1.09959575515,
        0.0610134997474,
        1.36375510861,
    ]);
    assert_close(&output("ht", "objective", input()), &distances);
    let jacobian = output("ht", "jacobian", input());
    let row = json!([
        0.00381173673416,
        -0.298725246024,
        0.217597947411,
        -1,
        0,
        0,
        -0.0301578600348,
        -0.0400860724703,
        -0.0367513546664,
        0,
        -0.0193529345385,
        -0.00463433210557,
        -0.0451041708024,
        -0.0225901096662,
        -0.0249679534836,
        0.00188187693763,
        -0.0158200140667,
        0.000218002614555,
        -0.00899166858277,
        0.014910332334,
        -0.010642763027,
        -0.00122644956648,
        -0.014281930375,
        -0.0138191680861,
        0.000867604477586,
        -0.00140435700933,
    ]);
    assert_close(&jacobian[0], &row);
    assert_close(&json!(checksum(&jacobian)), &json!(-91.2628988892));
}

#[test]
fn ht_in_triangles() {
    let input = |mirrored| hand(mirrored, &pose(), json!([[0.2, 0.3], [0.5, 0.1]]), [0, 1]);
    let distances = json!([
        -0.606054462707,
        -0.322319618653,
        0.61707082477,
        -1.02933471756,
        -0.12438142362,
        0.918004315894,
    ]);
    assert_close(&output("ht", "objective", input(false)), &distances);
    let jacobian = output("ht", "jacobian", input(false));
    let row = json!([
        0.382956696082,
        0.647349750743,
        -0.532206113373,
        0.0807706277731,
        -0.0290023654,
        0,
        0,
        -1,
        -0.000940452129421,
        0.00342831368414,
        -9.80899414054e-05,
        -0.006802287776,
        -0.0354854146288,
        -0.001252841909,
        0.0076530266047,
        0.00553177340934,
        -0.028888970231,
        -0.0135966041653,
        -0.00717628168445,
        0.011064047602,
        -0.0727325563615,
        -0.0333202037592,
        -0.0366608699673,
        -0.0120297383721,
        -0.0395364102002,
        -0.0264628320862,
        -0.0308336866806,
        -0.00954103763232,
    ]);
    assert_close(&jacobian[5], &row);
    assert_close(&json!(checksum(&jacobian)), &json!(-194.57517618));

    let mirrored = output("ht", "objective", input(true));
    let first = &mirrored.as_array().expect("numbers")[..3];
    let expected = json!([-0.413837831532, -0.36988340368, 0.588962956745]);
    assert_close(&json!(first), &expected);
}

/// A hand that is not turned has the unit as its rotation, and no derivative by it.
#[test]
fn ht_at_rest() {
    let input = || hand(false, &[0.0; 26], json!([]), [2, 0]);
    let distances = output("ht", "objective", input());
    let first = &distances.as_array().expect("numbers")[..3];
    assert_close(
        &json!(first),
        &json!([-0.178454545455, -0.0301363636364, -0.1525]),
    );
    for row in output("ht", "jacobian", input()).as_array().expect("rows") {
        assert_eq!(
            row.as_array().expect("a row")[..3],
            [json!(0.0), json!(0.0), json!(0.0)]
        );
    }
}
