//! Graph generators: real kernel tilings and random graphs.
