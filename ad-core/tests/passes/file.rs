//! Reading, running and rewriting the files.

use cotangent_core::ir::{bulk, bulk_text, core, core_check, core_text, kernel_check, kernel_text};
use cotangent_core::loops;
use cotangent_core::passes::checkpoints::checkpoints;
use cotangent_core::passes::join::join;
use cotangent_core::passes::linearise::linearise;
use cotangent_core::passes::needed::needed;
use cotangent_core::passes::schedule::schedule;
use cotangent_core::passes::simplify::{simplify, simplify_counting, simplify_part};
use cotangent_core::passes::single::single;
use cotangent_core::passes::transpose::transpose;
use cotangent_core::passes::unswitch::cases::cases;
use cotangent_core::passes::vectorise::vectorise;
use cotangent_core::pipeline::{Derivative, derive};
use std::fs;
use std::path::{Path, PathBuf};

/// What is done with the program.
pub(crate) enum Pass {
    Recognise,
    Blocks(loops::Checkpoint),
    Simplify,
    Needed,
    Single,
    Cases,
    Join,
    Linearise,
    Transpose,
    Vectorise,
    Derive(Derivative),
    TransposeTwice,
    Checkpoints,
    Schedule,
}

/// One file.
pub(crate) struct File {
    pub(crate) pass: Pass,
    wrt: Vec<usize>,
    pub(crate) fires: Vec<String>,
    pub(crate) does_not_fire: Vec<String>,
    pub(crate) unsigned_zeros: bool,
    /// The parameters in which what depends on them is linear.
    seeds: Vec<bulk::Var>,
    /// The rule pays only if no axis has the length 1.
    pub(crate) no_single: bool,
    /// What fails before the pass may succeed after it.
    pub(crate) may_succeed: bool,
    /// Everything up to the arrow.
    head: String,
    input: String,
    pub(crate) expected: String,
}

/// Every file, in order.
pub(crate) fn all() -> Vec<PathBuf> {
    fn collect(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, out);
            } else if path.extension().is_some_and(|e| e == "txt") {
                out.push(path);
            }
        }
    }
    let mut out = vec![];
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes"),
        &mut out,
    );
    out.sort();
    out
}

impl File {
    pub(crate) fn read(path: &Path) -> Result<File, String> {
        let text = fs::read_to_string(path).map_err(|e| e.to_string())?;
        let (head, expected) = match text.split_once("\n=>\n") {
            Some((head, expected)) => (head, expected),
            None => (text.trim_end(), ""),
        };
        let mut file = File {
            pass: Pass::Simplify,
            wrt: vec![],
            fires: vec![],
            does_not_fire: vec![],
            unsigned_zeros: false,
            seeds: vec![],
            no_single: false,
            may_succeed: false,
            head: head.to_owned(),
            input: String::new(),
            expected: expected.to_owned(),
        };
        let mut has_pass = false;
        for line in head.lines() {
            let Some(directive) = line.strip_prefix('#') else {
                file.input.push_str(line);
                file.input.push('\n');
                continue;
            };
            match directive.trim().split_once(": ") {
                Some(("pass", pass)) => {
                    has_pass = true;
                    file.set_pass(pass)?;
                }
                Some(("fires", rule)) => file.fires.push(rule.to_owned()),
                Some(("does not fire", rule)) => file.does_not_fire.push(rule.to_owned()),
                Some(("zeros", "unsigned")) => file.unsigned_zeros = true,
                Some(("linear", params)) => file.set_linear(params)?,
                Some(("lengths", "not 1")) => file.no_single = true,
                Some(("failures", "may be lost")) => file.may_succeed = true,
                _ => {}
            }
        }
        if !has_pass {
            return Err("no `# pass: ..`".into());
        }
        Ok(file)
    }

    /// Whether some parameters are tangents or cotangents.
    pub(crate) fn is_linear(&self) -> bool {
        !self.seeds.is_empty()
    }

    fn set_linear(&mut self, params: &str) -> Result<(), String> {
        self.seeds = (params.split_whitespace())
            .map(|k| {
                let k = k.parse().map_err(|_| format!("`{k}` is no parameter"))?;
                Ok(bulk::Var(k))
            })
            .collect::<Result<_, String>>()?;
        Ok(())
    }

    fn set_pass(&mut self, text: &str) -> Result<(), String> {
        let (pass, wrt) = text.split_once(" wrt ").unwrap_or((text, ""));
        self.wrt = (wrt.split_whitespace())
            .map(|k| k.parse().map_err(|_| format!("`{k}` is no parameter")))
            .collect::<Result<_, _>>()?;
        if let Some(("blocks", every)) = pass.split_once(' ') {
            let number = |k: &str| k.parse().map_err(|_| format!("`{k}` is no number"));
            self.pass = Pass::Blocks(if every == "sqrt" {
                loops::Checkpoint::Sqrt
            } else if let Some(k) = every.strip_prefix("binomial ") {
                loops::Checkpoint::Binomial(number(k)?)
            } else {
                loops::Checkpoint::Every(number(every)?)
            });
            return Ok(());
        }
        self.pass = match pass {
            "recognise" => Pass::Recognise,
            "simplify" => Pass::Simplify,
            "needed" => Pass::Needed,
            "single" => Pass::Single,
            "cases" => Pass::Cases,
            "join" => Pass::Join,
            "linearise" => Pass::Linearise,
            "transpose" => Pass::Transpose,
            "vectorise" => Pass::Vectorise,
            "transpose-twice" => Pass::TransposeTwice,
            "checkpoints" => Pass::Checkpoints,
            "schedule" => Pass::Schedule,
            "value-and-grad" => Pass::Derive(Derivative::ValueAndGrad),
            _ => match Derivative::of_word(pass) {
                Some(what) => Pass::Derive(what),
                None => return Err(format!("`{pass}` is no pass")),
            },
        };
        Ok(())
    }

    /// The program, if it is one of Bulk, or what vectorisation makes of it as it stands.
    pub(crate) fn bulk(&self) -> Result<bulk::Program, String> {
        if self.is_of_core() {
            return crate::verified(vectorise(&self.core()?)?);
        }
        crate::verified(bulk_text::parse(&self.input)?)
    }

    fn core(&self) -> Result<core::Program, String> {
        let program = core_text::parse(&self.input)?;
        core_check::check(&program)?;
        Ok(program)
    }

    /// The program as one of simplified Bulk, whichever of the two it is. They look different.
    fn simplified(&self) -> Result<bulk::Program, String> {
        match self.input.contains("->") && self.input.trim_end().ends_with('}') {
            true => crate::to_bulk(&self.core()?),
            false => Ok(simplify(&self.bulk()?)),
        }
    }

    /// The program that comes out, and the rules that were used if the pass is simplification.
    pub(crate) fn run(&self) -> Result<(bulk::Program, Vec<&'static str>), String> {
        let mut fired = vec![];
        let out = match self.pass {
            Pass::Simplify => {
                simplify_counting(&self.bulk()?, &self.seeds, &mut |rule| fired.push(rule))
            }
            Pass::Needed => {
                let program = self.bulk()?;
                needed(&program).unwrap_or(program)
            }
            Pass::Single => single(&self.bulk()?),
            Pass::Cases => {
                let program = self.bulk()?;
                cases(&program, &simplify_part).unwrap_or(program)
            }
            Pass::Join => join(&self.bulk()?),
            Pass::Linearise => linearise(&self.bulk()?, &self.wrt).program,
            Pass::Transpose => transpose(&linearise(&self.bulk()?, &self.wrt)),
            Pass::Vectorise => vectorise(&self.core()?)?,
            Pass::Derive(what) => {
                let bulk = self.simplified()?;
                derive(&bulk, what, &self.wrt, &mut |_, _| {})?
            }
            Pass::TransposeTwice => {
                let bulk = self.simplified()?;
                crate::transposed_twice(&bulk, &self.wrt)?
            }
            Pass::Checkpoints => {
                let what = Derivative::ValueAndGrad;
                let gradient = derive(&self.simplified()?, what, &self.wrt, &mut |_, _| {})?;
                let few = checkpoints(&gradient).ok_or("no loop keeps few states")?;
                simplify(&few)
            }
            Pass::Recognise | Pass::Blocks(_) => vectorise(&self.rewritten()?)?,
            Pass::Schedule => return Err("it is about kernels".into()),
        };
        Ok((crate::verified(out)?, fired))
    }

    /// Whether the pass gives a program of Core.
    pub(crate) fn is_of_core(&self) -> bool {
        matches!(self.pass, Pass::Recognise | Pass::Blocks(_))
    }

    /// The program of Core with other loops. Vectorised, it is what comes out of [`File::run`].
    pub(crate) fn rewritten(&self) -> Result<core::Program, String> {
        let program = self.core()?;
        // The files name no variable with a larger number.
        let mut fresh = core::Fresh::after(100);
        let out = if let Pass::Blocks(every) = self.pass {
            let body = loops::in_blocks(program.body, every, &mut fresh);
            core::Program { body, ..program }
        } else {
            let context = loops::Context {
                fresh,
                ..loops::Context::default()
            };
            loops::recognised(program, context).program
        };
        core_check::check(&out).map_err(|e| format!("{e}\n{out}"))?;
        Ok(out)
    }

    /// The kernels with the forms of their loops.
    pub(crate) fn scheduled(&self) -> Result<String, String> {
        let program = kernel_text::parse(&self.input)?;
        kernel_check::check(&program)?;
        let out = schedule(program);
        kernel_check::check(&out)?;
        Ok(out.to_string())
    }

    pub(crate) fn check_fired(&self, fired: &[&str]) -> Result<(), String> {
        for rule in &self.fires {
            if !fired.contains(&rule.as_str()) {
                return Err(format!("`{rule}` does not fire, but {fired:?}"));
            }
        }
        for rule in &self.does_not_fire {
            if fired.contains(&rule.as_str()) {
                return Err(format!("`{rule}` fires"));
            }
        }
        Ok(())
    }

    pub(crate) fn bless(&self, path: &Path, actual: &str) -> Result<(), String> {
        let text = format!("{}\n=>\n{actual}", self.head);
        // In one step, for the tests that read it meanwhile.
        let new = path.with_extension("new");
        fs::write(&new, text)
            .and_then(|()| fs::rename(&new, path))
            .map_err(|e| e.to_string())
    }
}
