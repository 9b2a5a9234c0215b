//! `config`, and the configuration that a command is told to read.

use super::run::Folder;

#[test]
fn what_is_printed_is_a_configuration_that_changes_nothing() {
    let folder = Folder::with_sample("first-spill");
    let page = folder.run(&["config"]).ok();
    for part in ["# theme = \"terminal\"", "[layout]", "[keys]", "# step-forward = [\"Right\", \"l\"]", "# next step"] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    folder.write("mine.toml", &page);
    let plain = folder.run(&["frame", "graph.json"]).ok();
    assert_eq!(folder.run(&["frame", "graph.json", "--config", "mine.toml"]).ok(), plain);
}

#[test]
fn a_named_configuration_is_honoured_and_flags_go_before_it() {
    let folder = Folder::with_sample("first-spill");
    folder.write(
        "mine.toml",
        "theme = \"light\"\nascii = true\n[layout]\nmap_width = 70\n[keys]\nstep-forward = \"W\"\nlevel-forward = \"Right\"\n",
    );
    let frame = |flags: &[&str]| {
        folder.run(&[&["frame", "graph.json", "--size", "130x40", "--config", "mine.toml"], flags].concat()).ok()
    };
    let shown = frame(&["--keys", "gW"]);
    assert!(shown.is_ascii() && shown.contains("step 1/21"), "{shown}");
    assert!(shown.lines().nth(2).is_some_and(|line| line.find("||").is_none() && line.contains('|')));
    let (light, dark) = (frame(&["--format", "svg"]), frame(&["--format", "svg", "--theme", "dark"]));
    assert!(light.contains("#ffffff") && dark.contains("#111111"));
}

#[test]
fn a_broken_one_is_refused_with_its_place_before_anything_is_drawn() {
    let folder = Folder::with_sample("first-spill");
    let refused = |text: &str, words: &[&str]| {
        folder.write("mine.toml", text);
        folder.run(&["frame", "graph.json", "--config", "mine.toml"]).refused(words);
    };
    refused("theme = \"drak\"\n", &["mine.toml:1:9", "one of terminal, dark, light, high-contrast"]);
    refused("ascii = true\ncolour = 3\n", &["mine.toml:2:1", "there is no setting colour"]);
    refused("[keys]\nstep-foward = \"d\"\n", &["mine.toml:2:1", "did you mean step-forward?"]);
    refused(
        "[keys]\nstep-forward = \"s\"\n",
        &["mine.toml:2:16", "s is the key of step-forward and of mark-spill-forward"],
    );
    refused("[keys]\nquit = \"Hyper\"\n", &["mine.toml:2:8", "there is no key “Hyper”"]);
    refused("theme = \u{1}", &["mine.toml:1:9", "no TOML"]);
    folder.run(&["frame", "graph.json", "--config", "none.toml"]).refused(&["none.toml", "there is no such file"]);
    folder.run(&["frame", "graph.json", "--config", "."]).refused(&["found a folder"]);
}

#[test]
fn where_it_is_looked_for_is_told() {
    let folder = Folder::new();
    let path = |setting: &str| folder.sh(&format!("env -u SPILLSCOPE_CONFIG {setting} spillscope config --path")).ok();
    assert_eq!(path("XDG_CONFIG_HOME=/conf"), "/conf/spillscope/config.toml\n");
    assert_eq!(path("-u XDG_CONFIG_HOME HOME=/home/me"), "/home/me/.config/spillscope/config.toml\n");
    assert_eq!(path("SPILLSCOPE_CONFIG=/my/own.toml"), "/my/own.toml\n");
    assert_eq!(path("SPILLSCOPE_CONFIG= XDG_CONFIG_HOME=/conf"), "/conf/spillscope/config.toml\n");
}

#[test]
fn a_frame_reads_no_configuration_that_it_is_not_told_of() {
    let folder = Folder::with_sample("first-spill");
    folder.write("broken.toml", "no toml");
    let own = folder.sh("SPILLSCOPE_CONFIG=broken.toml spillscope frame graph.json").ok();
    assert_eq!(own, folder.run(&["frame", "graph.json"]).ok());
}
