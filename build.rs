//! Tells the program which commit it was built from, for `--version`: `SPILLSCOPE_COMMIT` is ` (hash, date)`, ` (hash)` or
//! nothing.
//!
//! A packaged crate says in `.cargo_vcs_info.json` where it comes from; a checkout says it through git. Without either,
//! and without git, the build goes on and `--version` names no commit. The date is the commit's, so that the same source
//! gives the same program whenever it is built.

use std::path::Path;
use std::process::Command;

/// Digits of a hash: enough to be unique in a repository of a hundred thousand commits.
const DIGITS: usize = 9;

/// Written by `cargo package` into the root of what it packs.
const PACKED: &str = ".cargo_vcs_info.json";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let commit = packed().or_else(checked_out).map_or_else(String::new, |commit| format!(" ({commit})"));
    println!("cargo::rustc-env=SPILLSCOPE_COMMIT={commit}");
}

/// The commit that a packaged crate was made of.
fn packed() -> Option<String> {
    // Asked before git: where a package is unpacked inside of some repository, that one's commit says nothing.
    let text = std::fs::read_to_string(PACKED).ok()?;
    println!("cargo::rerun-if-changed={PACKED}");
    let value = text.split_once("\"sha1\"")?.1.split('"').nth(1)?;
    hash(value).map(str::to_owned)
}

/// The commit that is checked out, with its date.
fn checked_out() -> Option<String> {
    // A copy of the source inside of another repository is not that repository's commit.
    let top = git(&["rev-parse", "--show-toplevel"])?;
    let here = std::env::current_dir().ok()?.canonicalize().ok()?;
    if Path::new(&top).canonicalize().ok()? != here {
        return None;
    }
    watch();
    let text = git(&["show", "--no-patch", "--no-show-signature", "--format=%H %cs", "HEAD"])?;
    let (commit, date) = text.split_once(' ')?;
    Some(format!("{}, {date}", hash(commit)?))
}

/// Has this script run again once HEAD stands elsewhere: another branch, or another commit of the same.
fn watch() {
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]);
    // The log of HEAD tells of a commit on a branch that has no file of its own because it is packed.
    let names = ["HEAD", "logs/HEAD", "packed-refs"].into_iter().chain(branch.as_deref());
    for path in names.filter_map(|name| git(&["rev-parse", "--git-path", name])) {
        // Cargo takes a file that is missing for one that has changed, at each build.
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
}

/// The first digits of what is a hash.
fn hash(text: &str) -> Option<&str> {
    text.get(..DIGITS).filter(|_| text.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// What git prints about the folder of the package, whatever repository a hook that builds may have named.
fn git(args: &[&str]) -> Option<String> {
    let hidden = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR"];
    let mut command = Command::new("git");
    for name in hidden {
        command.env_remove(name);
    }
    let output = command.args(args).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned()).filter(|text| !text.is_empty())
}
