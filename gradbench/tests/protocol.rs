//! The protocol, with messages that are right and messages that are not.

use serde_json::{Value, json};

/// The answer to a line, which is one line.
fn answer(line: &str) -> Value {
    let mut out = vec![];
    cotangent_gradbench::respond(line, &mut out).expect("a Vec takes everything");
    let text = String::from_utf8(out).expect("JSON is UTF-8");
    assert_eq!(text.matches('\n').count(), 1, "{text}");
    assert!(text.ends_with('\n'), "{text}");
    serde_json::from_str(&text).expect("an answer is JSON")
}

/// The reason for which a line is refused.
fn refusal(line: &str) -> String {
    let answer = answer(line);
    assert_eq!(answer["success"], false, "{answer}");
    assert!(answer.get("output").is_none(), "{answer}");
    answer["error"].as_str().expect("a reason").to_owned()
}

#[test]
fn a_conversation() {
    let start = answer(r#"{"id": 0, "kind": "start", "eval": "lse", "config": {"n": [1]}}"#);
    assert_eq!(start, json!({"id": 0, "tool": "cotangent"}));
    let define = answer(r#"{"id": 1, "kind": "define", "module": "lse"}"#);
    assert_eq!(define, json!({"id": 1, "success": true}));
    let evaluate = answer(
        r#"{"id": 2, "kind": "evaluate", "module": "lse", "function": "primal", "description": "n=2",
            "input": {"x": [0.0, 0.0], "min_runs": 3, "min_seconds": 0}}"#,
    );
    assert_eq!(evaluate["output"], json!(2f64.ln()));
    let timings = evaluate["timings"].as_array().expect("timings");
    assert_eq!(timings.len(), 3);
    assert!(
        timings
            .iter()
            .all(|t| t["name"] == "evaluate" && t["nanoseconds"].is_u64())
    );
    let analysis = answer(r#"{"id": 3, "kind": "analysis", "of": 2, "valid": true}"#);
    assert_eq!(analysis, json!({"id": 3}));
    let other = answer(r#"{"id": 4, "kind": "something else"}"#);
    assert_eq!(other, json!({"id": 4}));
}

#[test]
fn a_function_runs_for_the_time_asked_for() {
    let evaluate = answer(
        r#"{"id": 0, "kind": "evaluate", "module": "lse", "function": "primal",
            "input": {"x": [1, 2], "min_runs": 1, "min_seconds": 0.01}}"#,
    );
    let timings = evaluate["timings"].as_array().expect("timings");
    let total: u64 = timings
        .iter()
        .map(|t| t["nanoseconds"].as_u64().expect("a time"))
        .sum();
    assert!(
        timings.len() > 1 && total >= 10_000_000,
        "{} runs, {total} ns",
        timings.len()
    );
}

#[test]
fn what_cannot_be_done_is_refused() {
    let cases = [
        ("{", "not a message"),
        ("[]", "not a message"),
        (r#"{"kind": "start"}"#, "not a message"),
        (r#"{"id": 1, "kind": "define"}"#, "no `module`"),
        (
            r#"{"id": 1, "kind": "define", "module": "nothing"}"#,
            "no module `nothing`",
        ),
        (
            r#"{"id": 1, "kind": "evaluate", "module": "lse"}"#,
            "no `function`",
        ),
        (
            r#"{"id": 1, "kind": "evaluate", "module": "lse", "function": "hessian",
                "input": {"x": [], "min_runs": 1, "min_seconds": 1}}"#,
            "no function `hessian`",
        ),
        (
            r#"{"id": 1, "kind": "evaluate", "module": "hello", "function": "square", "input": null}"#,
            "invalid type: null",
        ),
        (
            r#"{"id": 1, "kind": "evaluate", "module": "lse", "function": "primal", "input": {"x": [1]}}"#,
            "missing field `min_runs`",
        ),
        (
            r#"{"id": 1, "kind": "evaluate", "module": "lstm", "function": "objective",
                "input": {"main_params": [[1, 2], [3]], "extra_params": [], "state": [], "sequence": [],
                    "min_runs": 1, "min_seconds": 0}}"#,
            "row 1 of a matrix has 1 elements, and row 0 has 2",
        ),
        (
            r#"{"id": 1, "kind": "evaluate", "module": "det", "function": "primal",
                "input": {"A": [1, 2, 3], "ell": 2, "min_runs": 1, "min_seconds": 0}}"#,
            "out of bounds",
        ),
        (
            r#"{"id": 1, "kind": "evaluate", "module": "gmm", "function": "objective",
                "input": {"alpha": [0], "mu": [[0]], "q": [[0, 0]], "l": [[0]], "x": [[1, 2]], "gamma": 1,
                    "m": 0, "min_runs": 1, "min_seconds": 0}}"#,
            "log_posterior_value:",
        ),
    ];
    for (line, reason) in cases {
        let found = refusal(&line.replace('\n', ""));
        assert!(found.contains(reason), "{line}\nis refused by\n{found}");
    }
}
