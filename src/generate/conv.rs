//! A convolution over a feature map that is cut into bands of rows.
//!
//! A kernel of three rows reaches one row beyond a band, so each channel group of the input lies in L1 as bodies and,
//! between neighbouring bands, halos: the few rows that both need. Weights are copied into L1 once and moved into
//! L0B for each step; an output band sums up over the input channels in L1. At the end of a band four channel groups
//! at a time become space (D2S, depth to space) and go out. Weights serve every band, a halo two: that is what L1
//! runs over with.

use super::program::{Buf, Program};
use super::{at_least_one, check_node_count, cost};
use crate::model::{Fault, Graph};

/// What kind of convolution is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Bands of rows.
    pub bands: u32,
    /// Channel groups of the input.
    pub in_channels: u32,
    /// Channel groups of the output.
    pub out_channels: u32,
    /// Size of a band's body in L1, one channel group.
    pub body_size: u64,
    /// Size of the rows that two neighbouring bands share.
    pub halo_size: u64,
    /// Size of the weights from one channel group to another in L1; in L0B they take half.
    pub weight_size: u64,
    /// Size of a band of the output in L1, one channel group.
    pub out_size: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            bands: 4,
            in_channels: 4,
            out_channels: 4,
            body_size: 384,
            halo_size: 64,
            weight_size: 144,
            out_size: 256,
        }
    }
}

/// How many channel groups become space together: two by two.
const D2S_GROUPS: usize = 4;

/// Makes the graph.
///
/// # Errors
/// Where a number is 0 or the graph would be too large.
pub fn generate(config: &Config) -> Result<Graph, Fault> {
    check(config)?;
    let mut kernel = Kernel::new(config);
    for band in 0..config.bands {
        let outputs: Vec<Buf> = (0..config.out_channels).map(|out| kernel.output(band, out)).collect();
        kernel.store(band, &outputs);
    }
    kernel.program.into_builder("conv", true)?.build()
}

fn check(config: &Config) -> Result<(), Fault> {
    let counts = [("bands", config.bands), ("in-channels", config.in_channels), ("out-channels", config.out_channels)];
    for (name, value) in counts {
        at_least_one(name, value.into())?;
    }
    let sizes = [
        ("body-size", config.body_size),
        ("halo-size", config.halo_size),
        ("weight-size", config.weight_size),
        ("out-size", config.out_size),
    ];
    for (name, value) in sizes {
        at_least_one(name, value)?;
    }
    let [bands, inner, outer] = counts.map(|(_, value)| u128::from(value));
    check_node_count(4 * bands * inner * outer + 6 * bands * (inner + outer) + 3 * inner * outer)
}

struct Kernel<'c> {
    config: &'c Config,
    program: Program<'static>,
    /// By input channel group and output channel group.
    weights: Vec<Option<Buf>>,
    /// By input channel group: its rows for the current band.
    rows: Vec<Option<Rows>>,
}

/// One channel group's rows for one band.
#[derive(Clone, Copy)]
struct Rows {
    band: u32,
    body: Buf,
    /// Shared with the band above; the first band has none.
    above: Option<Buf>,
    /// Shared with the band below; the last band has none.
    below: Option<Buf>,
}

impl<'c> Kernel<'c> {
    fn new(config: &'c Config) -> Self {
        let channels = config.in_channels as usize;
        let weights = vec![None; channels * config.out_channels as usize];
        Self { config, program: Program::default(), weights, rows: vec![None; channels] }
    }

    fn load(&mut self, size: u64, name: String) -> Buf {
        let buf = self.program.buffer("L1", size, Some(name));
        self.program.load(buf);
        buf
    }

    /// The rows that `band` needs of a channel group, copied in where the band is the first to need them.
    fn rows(&mut self, band: u32, channel: u32) -> Rows {
        let held = self.rows[channel as usize];
        if let Some(rows) = held.filter(|rows| rows.band == band) {
            return rows;
        }
        let above = held.and_then(|rows| rows.below);
        let body = self.load(self.config.body_size, format!("x{channel} band{band}"));
        let below = (band + 1 < self.config.bands)
            .then(|| self.load(self.config.halo_size, format!("x{channel} halo{band}|{}", band + 1)));
        *self.rows[channel as usize].insert(Rows { band, body, above, below })
    }

    fn weights(&mut self, channel: u32, out: u32) -> Buf {
        let at = channel as usize * self.config.out_channels as usize + out as usize;
        if let Some(weights) = self.weights[at] {
            return weights;
        }
        let weights = self.load(self.config.weight_size, format!("w{channel}>{out}"));
        *self.weights[at].insert(weights)
    }

    /// One channel group of the output, summed over the channel groups of the input.
    fn output(&mut self, band: u32, out: u32) -> Buf {
        let sum = self.program.buffer("L1", self.config.out_size, Some(format!("y{out} band{band}")));
        let size = self.config.weight_size.div_ceil(2);
        for channel in 0..self.config.in_channels {
            let rows = self.rows(band, channel);
            let weights = self.weights(channel, out);
            let inner = self.program.buffer("L0B", size, Some(format!("w{channel}>{out} (L0B)")));
            self.program.op("MOVE", "MTE1", cost::move_in(size), &[inner], &[weights]);
            let reads: Vec<Buf> =
                [Some(inner), rows.above, Some(rows.body), rows.below].into_iter().flatten().collect();
            let kind = if channel == 0 { "CONV" } else { "CONV_ADD" };
            let sign = if channel == 0 { "=" } else { "+=" };
            let name = format!("y{out} band{band} {sign} w{channel}>{out}*x{channel}");
            self.program.named(name, kind, "CUBE", cost::conv(self.config.body_size, size), &[sum], &reads);
        }
        sum
    }

    /// Depth to space, a few channel groups at a time, and out.
    fn store(&mut self, band: u32, outputs: &[Buf]) {
        for (group, sums) in outputs.chunks(D2S_GROUPS).enumerate() {
            let size = self.config.out_size.saturating_mul(sums.len() as u64);
            let image = self.program.buffer("L1", size, Some(format!("image{group} band{band}")));
            self.program.op("D2S", "MTE1", cost::copy(size), &[image], sums);
            let name = format!("store image{group} band{band}");
            self.program.named(name, "COPY_OUT", "MTE3", cost::copy_out(size), &[], &[image]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::test_help::{buffer_named, count_ops, every_buffer_is_freed};

    #[test]
    fn each_output_sums_up_over_all_input_channels() {
        let config = Config { bands: 3, in_channels: 4, out_channels: 5, ..Config::default() };
        let graph = generate(&config).unwrap();
        assert_eq!(count_ops(&graph, "CONV"), 3 * 5);
        assert_eq!(count_ops(&graph, "CONV_ADD"), 3 * 5 * (4 - 1));
        assert_eq!(count_ops(&graph, "D2S"), 3 * 2, "four groups, then the fifth");
        assert_eq!(count_ops(&graph, "COPY_IN"), 4 * (3 + 2) + 4 * 5, "bodies, halos between bands, weights");
        assert!(every_buffer_is_freed(&graph));
    }

    #[test]
    fn halos_serve_two_bands_and_bodies_one() {
        let config = Config { bands: 3, in_channels: 2, out_channels: 5, ..Config::default() };
        let graph = generate(&config).unwrap();
        let users = |name: &str| graph.users(buffer_named(&graph, name)).len();
        assert_eq!(users("x1 band1"), 1 + 5);
        assert_eq!(users("x1 halo0|1"), 1 + 2 * 5);
        assert_eq!(users("w1>4"), 1 + 3, "a load and a move for each band");
    }

    #[test]
    fn absurd_sizes_are_refused() {
        for count in [0, 10_000, u32::MAX] {
            let config = Config { bands: count, in_channels: count, out_channels: count, ..Config::default() };
            assert!(generate(&config).is_err(), "{count}");
        }
        assert!(generate(&Config { out_size: u64::MAX, ..Config::default() }).is_err());
    }
}
