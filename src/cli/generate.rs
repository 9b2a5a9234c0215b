//! `generate`: write a graph.

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};

use crate::error::Error;
use crate::generate::operations::Operations;
use crate::generate::{chains, conv, flash_attention, matmul, random};
use crate::model::{Fault, Graph, Machine, Name, clean};
use crate::output::{graph_file, save};

/// How a path ends that stands for the pair of CSV files.
const CSV_ENDING: &str = "_Nodes.csv";

/// Arguments of `generate`.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    kind: Kind,
    /// Where to write; standard output where left out. An ending of _Nodes.csv writes the CSV pair
    #[arg(short, long, global = true, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  spillscope generate matmul --tiles 6 -o matmul.json
  spillscope generate flash-attention --q-blocks 4 --kv-blocks 8 | spillscope plan -
  spillscope generate conv -o conv_Nodes.csv    # the CSV pair, with conv_Edges.csv
  spillscope generate chains --seed 3 -o chains.json
  spillscope generate random --seed 7 --nodes 1000 --schedule -o random.json

`spillscope generate KIND --help` lists the flags of a kind.";

const MATMUL: &str = "\
Examples:
  spillscope generate matmul --tiles 6 -o matmul.json
  spillscope generate matmul --m 8 --n 2 --k 4 | spillscope plan -";

const FLASH_ATTENTION: &str = "\
Examples:
  spillscope generate flash-attention -o flash.json
  spillscope generate flash-attention --q-blocks 4 --kv-blocks 8 | spillscope plan -";

const CONV: &str = "\
Examples:
  spillscope generate conv -o conv.json
  spillscope generate conv --bands 6 --in-channels 2 | spillscope plan - --format json";

const CHAINS: &str = "\
Examples:
  spillscope generate chains --ops 500 --seed 3 -o pipeline.json
  spillscope generate chains | spillscope plan -";

const RANDOM: &str = "\
Examples:
  spillscope generate random --nodes 2000 --seed 7 -o random.json
  spillscope generate random --schedule | spillscope plan - --order given";

#[derive(Subcommand)]
enum Kind {
    /// A tiled matrix product: tiles of A and B through L1, L0A, L0B into accumulators in L0C
    #[command(after_help = MATMUL)]
    Matmul(Matmul),
    /// Flash attention: scores on CUBE, running row maximum and sum in UB on VECTOR
    #[command(after_help = FLASH_ATTENTION)]
    FlashAttention(FlashAttention),
    /// A convolution over bands of a feature map with halo rows, kernels in L0B
    #[command(after_help = CONV)]
    Conv(Conv),
    /// A pipeline of named operations: parallel chains, shared operations, branches; by a seed
    #[command(after_help = CHAINS)]
    Chains(Pipeline),
    /// A seeded random graph
    #[command(after_help = RANDOM)]
    Random(Random),
}

#[derive(clap::Args)]
struct Matmul {
    /// Tiles in each direction
    #[arg(long, value_name = "N", default_value_t = matmul::Config::default().tiles)]
    tiles: u32,
    /// Rows of tiles of A and C [default: --tiles]
    #[arg(long, value_name = "N")]
    m: Option<u32>,
    /// Columns of tiles of B and C [default: --tiles]
    #[arg(long, value_name = "N")]
    n: Option<u32>,
    /// Products that an accumulator sums up [default: --tiles]
    #[arg(long, value_name = "N")]
    k: Option<u32>,
    /// Size of a tile of A or B
    #[arg(long, value_name = "SIZE", default_value_t = matmul::Config::default().tile_size)]
    tile_size: u64,
    /// Size of an accumulator in L0C
    #[arg(long, value_name = "SIZE", default_value_t = matmul::Config::default().acc_size)]
    acc_size: u64,
}

#[derive(clap::Args)]
struct FlashAttention {
    /// Blocks of queries, and of keys and values, where the two flags below do not say otherwise
    #[arg(long, value_name = "N")]
    tiles: Option<u32>,
    /// Blocks of queries [default: 3]
    #[arg(long, value_name = "N")]
    q_blocks: Option<u32>,
    /// Blocks of keys and values [default: 4]
    #[arg(long, value_name = "N")]
    kv_blocks: Option<u32>,
    /// Parts into which the head dimension is cut
    #[arg(long, value_name = "N", default_value_t = flash_attention::Config::default().parts)]
    parts: u32,
    /// Size of a block of Q in L1
    #[arg(long, value_name = "SIZE", default_value_t = flash_attention::Config::default().q_size)]
    q_size: u64,
    /// Size of a block of K or V in L1
    #[arg(long, value_name = "SIZE", default_value_t = flash_attention::Config::default().kv_size)]
    kv_size: u64,
    /// Size of a block of scores in UB
    #[arg(long, value_name = "SIZE", default_value_t = flash_attention::Config::default().score_size)]
    score_size: u64,
    /// Size of one number a row
    #[arg(long, value_name = "SIZE", default_value_t = flash_attention::Config::default().row_size)]
    row_size: u64,
}

#[derive(clap::Args)]
struct Conv {
    /// Bands, input and output channel groups, where the flags below do not say otherwise
    #[arg(long, value_name = "N")]
    tiles: Option<u32>,
    /// Bands of rows [default: 4]
    #[arg(long, value_name = "N")]
    bands: Option<u32>,
    /// Channel groups of the input [default: 4]
    #[arg(long, value_name = "N")]
    in_channels: Option<u32>,
    /// Channel groups of the output [default: 4]
    #[arg(long, value_name = "N")]
    out_channels: Option<u32>,
    /// Size of a band's body in L1, one channel group
    #[arg(long, value_name = "SIZE", default_value_t = conv::Config::default().body_size)]
    body_size: u64,
    /// Size of the rows that two neighbouring bands share
    #[arg(long, value_name = "SIZE", default_value_t = conv::Config::default().halo_size)]
    halo_size: u64,
    /// Size of the weights from one channel group to another
    #[arg(long, value_name = "SIZE", default_value_t = conv::Config::default().weight_size)]
    weight_size: u64,
    /// Size of a band of the output, one channel group
    #[arg(long, value_name = "SIZE", default_value_t = conv::Config::default().out_size)]
    out_size: u64,
}

#[derive(clap::Args)]
struct Pipeline {
    /// Operations in all
    #[arg(long, value_name = "N", default_value_t = chains::Config::default().ops)]
    ops: u32,
    /// Main chains
    #[arg(long, value_name = "N", default_value_t = chains::Config::default().chains)]
    chains: u32,
    /// Operations of each main chain
    #[arg(long, value_name = "N", default_value_t = chains::Config::default().length)]
    length: u32,
    /// Bytes that all operations write together
    #[arg(long, value_name = "BYTES", default_value_t = chains::Config::default().total_bytes)]
    total_bytes: u64,
    /// The same seed gives the same graph
    #[arg(long, value_name = "N", default_value_t = chains::Config::default().seed)]
    seed: u64,
}

#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one a flag")]
struct Random {
    /// The same seed gives the same graph
    #[arg(long, value_name = "N", default_value_t = random::Config::default().seed)]
    seed: u64,
    /// How many nodes, approximately
    #[arg(long, value_name = "N", default_value_t = random::Config::default().nodes)]
    nodes: u64,
    /// Levels in use, each with the largest size of a buffer there
    #[arg(long, value_name = "LEVEL=SIZE,…", value_delimiter = ',', default_value = "L1=1024,UB=256")]
    levels: Vec<String>,
    /// Which sizes buffers have
    #[arg(long, value_enum, default_value_t = Sizes::Mixed)]
    sizes: Sizes,
    /// Share of buffers that a COPY_IN fills, from 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = random::Config::default().backed)]
    backed: f64,
    /// Share of buffers without FREE, from 0 to 1; only in levels that may spill
    #[arg(long, value_name = "SHARE", default_value_t = random::Config::default().unfreed)]
    unfreed: f64,
    /// The most buffers that an operation names
    #[arg(long, value_name = "N", default_value_t = random::Config::default().operands)]
    operands: u32,
    /// How many buffers of its level may be born between a buffer and its last use
    #[arg(long, value_name = "N", default_value_t = random::Config::default().window)]
    window: u32,
    /// How many pipes operations run on
    #[arg(long, value_name = "N", default_value_t = random::Config::default().pipes)]
    pipes: u32,
    /// Give the graph a random legal schedule
    #[arg(long)]
    schedule: bool,
    /// Leave the edges to the buffers
    #[arg(long)]
    no_edges: bool,
    /// Leave gaps between ids
    #[arg(long)]
    gaps: bool,
    /// Shuffle ids
    #[arg(long)]
    shuffle: bool,
    /// Let an operation's buffers exceed a level
    #[arg(long)]
    allow_impossible: bool,
}

#[derive(ValueEnum, Clone, Copy)]
enum Sizes {
    /// Any size is as likely
    Uniform,
    /// Many small ones, some large
    Mixed,
    /// All the largest
    Equal,
}

/// What a generator made: each of the two has its own kind of file.
enum Made {
    Graph(Graph),
    Operations(Operations),
}

/// Makes the graph and writes it.
pub fn run(args: &Args) -> Result<(), Error> {
    match made(&args.kind)? {
        Made::Graph(graph) => write_graph(&graph, args.out.as_deref()),
        Made::Operations(operations) => write_operations(&operations, args.out.as_deref()),
    }
}

fn write_graph(graph: &Graph, path: Option<&Path>) -> Result<(), Error> {
    let Some(path) = path else { return super::print(&graph_file::npu_json(graph)) };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(stem) = name.strip_suffix(CSV_ENDING) else {
        return save::save_file(path, |out| out.write_all(graph_file::npu_json(graph).as_bytes()));
    };
    let (nodes, edges) = graph_file::npu_csv(graph);
    let folder = path.parent().unwrap_or_else(|| Path::new(""));
    let files = vec![
        save::NewFile::new(name.clone(), move |out| out.write_all(nodes.as_bytes())),
        save::NewFile::new(format!("{stem}_Edges.csv"), move |out| out.write_all(edges.as_bytes())),
    ];
    save::save_all(folder, files).map(drop)
}

fn write_operations(operations: &Operations, path: Option<&Path>) -> Result<(), Error> {
    let Some(path) = path else { return super::print(&operations.to_json()) };
    if path.to_string_lossy().ends_with(CSV_ENDING) {
        return Err(Error::input("an operation graph has no form in CSV", "write it to a file that ends in .json"));
    }
    save::save_file(path, |out| out.write_all(operations.to_json().as_bytes()))
}

fn made(kind: &Kind) -> Result<Made, Error> {
    let made = match kind {
        Kind::Chains(flags) => return chains::generate(&flags.config()).map(Made::Operations).map_err(refused),
        Kind::Matmul(flags) => matmul::generate(&matmul::Config {
            tiles: flags.tiles,
            m: flags.m,
            n: flags.n,
            k: flags.k,
            tile_size: flags.tile_size,
            acc_size: flags.acc_size,
        }),
        Kind::FlashAttention(flags) => {
            let usual = flash_attention::Config::default();
            flash_attention::generate(&flash_attention::Config {
                q_blocks: flags.q_blocks.or(flags.tiles).unwrap_or(usual.q_blocks),
                kv_blocks: flags.kv_blocks.or(flags.tiles).unwrap_or(usual.kv_blocks),
                parts: flags.parts,
                q_size: flags.q_size,
                kv_size: flags.kv_size,
                score_size: flags.score_size,
                row_size: flags.row_size,
            })
        }
        Kind::Conv(flags) => {
            let usual = conv::Config::default();
            conv::generate(&conv::Config {
                bands: flags.bands.or(flags.tiles).unwrap_or(usual.bands),
                in_channels: flags.in_channels.or(flags.tiles).unwrap_or(usual.in_channels),
                out_channels: flags.out_channels.or(flags.tiles).unwrap_or(usual.out_channels),
                body_size: flags.body_size,
                halo_size: flags.halo_size,
                weight_size: flags.weight_size,
                out_size: flags.out_size,
            })
        }
        Kind::Random(flags) => random::generate(&flags.config()?),
    };
    made.map(Made::Graph).map_err(refused)
}

fn refused(fault: Fault) -> Error {
    Error::input(fault.what, fault.advice)
}

impl Pipeline {
    fn config(&self) -> chains::Config {
        chains::Config {
            ops: self.ops,
            chains: self.chains,
            length: self.length,
            total_bytes: self.total_bytes,
            seed: self.seed,
        }
    }
}

impl Random {
    fn config(&self) -> Result<random::Config, Error> {
        let level = |text: &String| {
            let parsed = text.split_once('=').and_then(|(name, size)| Some((Name::new(name), size.parse().ok()?)));
            parsed.ok_or_else(|| {
                let what = format!("--levels takes LEVEL=SIZE, found {}", clean(text));
                Error::input(what, "write L1=1024,UB=256, say")
            })
        };
        Ok(random::Config {
            seed: self.seed,
            nodes: self.nodes,
            levels: self.levels.iter().map(level).collect::<Result<_, _>>()?,
            machine: Machine::npu(),
            sizes: match self.sizes {
                Sizes::Uniform => random::Sizes::Uniform,
                Sizes::Mixed => random::Sizes::Mixed,
                Sizes::Equal => random::Sizes::Equal,
            },
            backed: self.backed,
            unfreed: self.unfreed,
            operands: self.operands,
            window: self.window,
            pipes: self.pipes,
            schedule: self.schedule,
            edges: !self.no_edges,
            gaps: self.gaps,
            shuffle: self.shuffle,
            allow_impossible: self.allow_impossible,
        })
    }
}
