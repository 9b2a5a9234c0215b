//! What leaves the program: plan files, reports, graph files.
