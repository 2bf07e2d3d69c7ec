//! The messages of GradBench and their answers.

use crate::call::{Answer, Call, Failure};
use crate::modules;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A message, with the fields of all kinds. The input stays text until its type is known.
#[derive(Deserialize)]
struct Message<'a> {
    id: i64,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    module: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    function: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
}

/// An answer. Fields that do not belong to the kind of message are left out.
#[derive(Default, Serialize)]
struct Response {
    /// `null` where the message has none that can be read.
    id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timings: Option<Vec<Timing>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// How long one run of a function took.
#[derive(Serialize)]
struct Timing {
    name: &'static str,
    nanoseconds: u64,
}

/// Writes the answer to one message, as one line.
///
/// # Errors
/// If `out` cannot be written to. A message that cannot be understood is answered, too.
pub fn respond(line: &str, out: &mut impl Write) -> io::Result<()> {
    let response = match serde_json::from_str::<Message<'_>>(line) {
        Ok(message) => response(&message),
        Err(error) => Response {
            success: Some(false),
            error: Some(format!("not a message: {error}")),
            ..Response::default()
        },
    };
    serde_json::to_writer(&mut *out, &response)?;
    writeln!(out)
}

fn response(message: &Message<'_>) -> Response {
    let bare = Response {
        id: Some(message.id),
        ..Response::default()
    };
    match &*message.kind {
        "start" => Response {
            tool: Some(crate::TOOL),
            ..bare
        },
        "define" => match module(message) {
            Ok(_) => Response {
                success: Some(true),
                ..bare
            },
            Err(failure) => failed(bare, failure),
        },
        "evaluate" => match evaluate(message) {
            Ok(answer) => {
                let timings = answer.nanoseconds.into_iter().map(|nanoseconds| Timing {
                    name: "evaluate",
                    nanoseconds,
                });
                Response {
                    success: Some(true),
                    output: Some(answer.output),
                    timings: Some(timings.collect()),
                    ..bare
                }
            }
            Err(failure) => failed(bare, failure),
        },
        _ => bare,
    }
}

fn failed(bare: Response, failure: Failure) -> Response {
    Response {
        success: Some(false),
        error: Some(failure.0),
        ..bare
    }
}

fn module(message: &Message<'_>) -> Result<modules::Module, Failure> {
    let name = (message.module.as_deref()).ok_or_else(|| Failure::new("no `module`"))?;
    modules::find(name).ok_or_else(|| Failure::new(format!("no module `{name}`")))
}

/// Runs a function of a module. A panic is a failure: generated code checks shapes by panicking.
fn evaluate(message: &Message<'_>) -> Result<Answer, Failure> {
    let module = module(message)?;
    let call = Call {
        function: (message.function.as_deref()).ok_or_else(|| Failure::new("no `function`"))?,
        input: (message.input).map_or("null", RawValue::get),
    };
    catch_unwind(AssertUnwindSafe(|| module(&call))).unwrap_or_else(|panic| {
        let text = (panic.downcast_ref::<String>().map(String::as_str))
            .or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Failure::new(text.unwrap_or("a panic without a message")))
    })
}
