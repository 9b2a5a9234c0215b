//! What packagers take along: scripts for shells, and man pages.

use std::process::{Command, Stdio};

use super::run::Folder;

const COMMANDS: [&str; 12] =
    ["view", "plan", "check", "compare", "learn", "export", "frame", "run", "config", "generate", "completions", "man"];

#[test]
fn each_shell_has_a_script_that_knows_every_command() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = folder.run(&["completions", shell]).ok();
        for word in COMMANDS.into_iter().chain(["matmul", "flash-attention", "capacity", "spill-l0"]) {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
    folder.run(&["completions", "tcsh"]).refused(&["tcsh", "bash", "zsh", "fish", "elvish", "powershell"]);
    folder.run(&["completions"]).refused(&["SHELL"]);
}

/// Whether a program is there to be run.
fn is_there(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[test]
fn the_shells_that_are_here_read_their_scripts() {
    let folder = Folder::new();
    for (shell, check) in [("bash", "bash -n script"), ("zsh", "zsh -n script"), ("fish", "fish --no-execute script")] {
        folder.write("script", &folder.run(&["completions", shell]).ok());
        if is_there(shell) {
            folder.sh(check).ok();
        }
    }
}

#[test]
fn bash_completes_commands_and_flags() {
    if !is_there("bash") {
        return;
    }
    let folder = Folder::new();
    folder.write("script", &folder.run(&["completions", "bash"]).ok());
    folder.write(
        "complete",
        "source ./script; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
         _spillscope spillscope \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"; echo \"${COMPREPLY[@]}\"",
    );
    let completed = |words: &str| folder.sh(&format!("bash ./complete spillscope {words}")).ok();
    assert_eq!(completed("comp"), "compare completions\n");
    assert_eq!(completed("plan --postpone-l"), "--postpone-limit\n");
    assert_eq!(completed("generate fl"), "flash-attention\n");
    assert_eq!(completed("completions ba"), "bash\n");
}

#[test]
fn there_is_a_man_page_for_each_command() {
    let folder = Folder::new();
    folder.run(&["man", "-o", "man1"]).ok();
    let names = folder.names("man1");
    assert_eq!(names.len(), 1 + COMMANDS.len() + 5, "{names:?}");
    let main = folder.read("man1/spillscope.1");
    assert_eq!(folder.run(&["man"]).ok(), main);
    for command in COMMANDS {
        assert!(main.contains(&format!("spillscope\\-{command}(1)")), "the main page does not name {command}");
        let page = folder.read(&format!("man1/spillscope-{command}.1"));
        for part in [".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH EXAMPLES"] {
            assert!(page.contains(part), "the page of {command} has no {part}");
        }
        assert!(page.contains(&format!("spillscope\\-{command}")) && !page.contains('\u{1b}'), "{page}");
    }
    // Each example stands on a line of its own.
    let page = folder.read("man1/spillscope-plan.1");
    assert!(page.contains("\nspillscope plan graph.json \\-o plan "), "{page}");
}
