//! Which size of block serves a request.

use std::fmt;
use std::str::FromStr;

use super::build::MAX_NUMBER;
use super::name::clean;

/// How requests are rounded up to blocks, in bytes. A block has its bucket's full size, so that whatever lies in a
/// bucket fits whatever is asked of it (seed 000 files blocks of the size that was asked for, and overruns them).
///
/// Finer buckets waste less in each block, coarser ones find an idle block more often.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Buckets {
    /// The smallest of these limits that holds the request; above the last one, sizes are exact (seed 000, section 3.3).
    Fixed(Vec<u64>),
    /// The next power of two: a block is less than twice its request (seed 000, section 5.2).
    PowersOfTwo,
    /// The size classes of TLSF (Masmano, Ripoll, Crespo, Real: "TLSF: a new dynamic memory allocator for real-time
    /// systems", ECRTS 2004): each power of two is cut into 2^bits steps of equal length, and a request is rounded up to
    /// a whole step. A block is larger than its request by less than one part in 2^bits of it. Only the classes are
    /// TLSF's: blocks are neither split nor joined.
    Tlsf {
        /// Binary logarithm of the steps in a power of two.
        second_level_bits: u8,
    },
    /// Each size is a bucket of its own.
    Exact,
}

impl Buckets {
    /// The limits of seed 000: 4 KiB and 64 KiB.
    pub const SEED_LIMITS: [u64; 2] = [4096, 65536];

    /// Sixteen steps in a power of two: a block wastes less than 1/16 of its request.
    pub const DEFAULT_SECOND_LEVEL_BITS: u8 = 4;

    /// TLSF's classes with the usual sixteen steps in a power of two.
    pub const fn tlsf() -> Self {
        Self::Tlsf { second_level_bits: Self::DEFAULT_SECOND_LEVEL_BITS }
    }

    /// Bytes of the block that serves a request of so many bytes; `None` where they pass 2^63 − 1. A block has at
    /// least one byte.
    pub fn block_size(&self, request: u64) -> Option<u64> {
        let request = request.max(1);
        let size = match self {
            Self::Fixed(limits) => {
                let holding = limits.iter().copied().filter(|limit| (request..=MAX_NUMBER).contains(limit));
                holding.min().unwrap_or(request)
            }
            Self::PowersOfTwo => request.checked_next_power_of_two()?,
            Self::Tlsf { second_level_bits } => {
                // Below 2^bits a step would be shorter than a byte: those sizes are exact.
                let step_bits = request.ilog2().saturating_sub(u32::from(*second_level_bits));
                request.checked_next_multiple_of(1 << step_bits)?
            }
            Self::Exact => request,
        };
        Some(size).filter(|&size| size <= MAX_NUMBER)
    }
}

impl Default for Buckets {
    fn default() -> Self {
        Self::Fixed(Self::SEED_LIMITS.to_vec())
    }
}

impl fmt::Display for Buckets {
    /// As [`Buckets::from_str`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Fixed(limits) => {
                let limits: Vec<String> = limits.iter().map(u64::to_string).collect();
                format!("fixed:{}", limits.join(","))
            }
            Self::PowersOfTwo => "pow2".into(),
            Self::Tlsf { second_level_bits: Self::DEFAULT_SECOND_LEVEL_BITS } => "tlsf".into(),
            Self::Tlsf { second_level_bits } => format!("tlsf:{second_level_bits}"),
            Self::Exact => "exact".into(),
        };
        f.pad(&text)
    }
}

impl FromStr for Buckets {
    type Err = String;

    /// `fixed` (the limits of seed 000), `fixed:4096,65536`, `pow2`, `tlsf`, `tlsf:5` (second level bits) or `exact`.
    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "fixed" => Ok(Self::default()),
            None if text == "pow2" => Ok(Self::PowersOfTwo),
            None if text == "tlsf" => Ok(Self::tlsf()),
            None if text == "exact" => Ok(Self::Exact),
            Some(("fixed", limits)) => fixed(limits),
            Some(("tlsf", bits)) => tlsf(bits),
            _ => Err(format!("unknown buckets '{}': use fixed:4096,65536, pow2, tlsf or exact", clean(text))),
        }
    }
}

fn fixed(text: &str) -> Result<Buckets, String> {
    let limit = |text: &str| {
        let limit = text.trim().parse().ok().filter(|limit| (1..=MAX_NUMBER).contains(limit));
        limit.ok_or_else(|| format!("bucket limit '{}': use whole bytes from 1 to 2^63-1", clean(text)))
    };
    let limits = text.split(',').map(limit).collect::<Result<Vec<u64>, String>>()?;
    if let Some([before, limit, ..]) = limits.windows(2).find(|pair| pair[0] >= pair[1]) {
        return Err(format!("bucket limit {limit} follows {before}: write them in ascending order"));
    }
    Ok(Buckets::Fixed(limits))
}

fn tlsf(text: &str) -> Result<Buckets, String> {
    // With 62 bits every size is a class of its own.
    let bits = text.parse().ok().filter(|bits| *bits <= 62);
    let second_level_bits =
        bits.ok_or_else(|| format!("second level bits '{}': use a whole number from 0 to 62", clean(text)))?;
    Ok(Buckets::Tlsf { second_level_bits })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_buckets() -> impl Strategy<Value = Buckets> {
        prop_oneof![
            prop::collection::vec(1..=1u64 << 40, 0..5).prop_map(Buckets::Fixed),
            Just(Buckets::PowersOfTwo),
            (0u8..=70).prop_map(|second_level_bits| Buckets::Tlsf { second_level_bits }),
            Just(Buckets::Exact),
        ]
    }

    /// Small ones, those around powers of two, and any.
    fn any_size() -> impl Strategy<Value = u64> {
        let near_power = (0u32..64, 0u64..=2).prop_map(|(bits, off)| (1u64 << bits).saturating_add(off) - 1);
        prop_oneof![0u64..200_000, near_power, any::<u64>()]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_block_holds_its_request_and_is_its_own_bucket(buckets in any_buckets(), size in any_size()) {
            if let Some(block) = buckets.block_size(size) {
                prop_assert!(block >= size && (1..=MAX_NUMBER).contains(&block));
                prop_assert_eq!(buckets.block_size(block), Some(block));
            }
        }

        #[test]
        fn more_is_never_served_by_less(buckets in any_buckets(), a in any_size(), b in any_size()) {
            let served = |size| buckets.block_size(size).unwrap_or(u64::MAX);
            prop_assert!(served(a.min(b)) <= served(a.max(b)));
        }

        #[test]
        fn only_what_passes_the_largest_number_has_no_block(buckets in any_buckets(), size in any_size()) {
            if size <= 1 << 62 {
                prop_assert!(buckets.block_size(size).is_some());
            }
            if size > MAX_NUMBER {
                prop_assert_eq!(buckets.block_size(size), None);
            }
        }

        #[test]
        fn a_tlsf_block_wastes_less_than_one_part_in_two_to_the_bits(bits in 0u8..=62, size in 1..=1u64 << 62) {
            let block = Buckets::Tlsf { second_level_bits: bits }.block_size(size).unwrap();
            prop_assert!(u128::from(block - size) << bits < u128::from(size));
        }

        #[test]
        fn a_power_of_two_is_less_than_twice_the_request(size in 1..=1u64 << 62) {
            let block = Buckets::PowersOfTwo.block_size(size).unwrap();
            prop_assert!(block.is_power_of_two() && block / 2 < size);
        }

        #[test]
        fn tlsf_without_a_second_level_is_powers_of_two(size in any_size()) {
            let tlsf = Buckets::Tlsf { second_level_bits: 0 };
            prop_assert_eq!(tlsf.block_size(size), Buckets::PowersOfTwo.block_size(size));
        }
    }

    #[test]
    fn the_seeds_limits_round_up_and_are_exact_above_the_last() {
        let sizes = [1, 4096, 4097, 65536, 65537].map(|size| Buckets::default().block_size(size));
        assert_eq!(sizes, [4096, 4096, 65536, 65536, 65537].map(Some));
    }

    #[test]
    fn tlsf_cuts_each_power_of_two_into_equal_steps() {
        let tlsf = Buckets::Tlsf { second_level_bits: 2 };
        let sizes = [1, 3, 4, 5, 9, 11, 15, 1000, 1025].map(|size| tlsf.block_size(size));
        assert_eq!(sizes, [1, 3, 4, 5, 10, 12, 16, 1024, 1280].map(Some));
    }

    #[test]
    fn flags_are_read_and_written_alike() {
        for text in ["fixed:4096,65536", "fixed:1", "pow2", "tlsf", "tlsf:5", "exact"] {
            assert_eq!(text.parse::<Buckets>().unwrap().to_string(), text);
        }
        assert_eq!("fixed".parse(), Ok(Buckets::default()));
    }

    #[test]
    fn a_flag_that_makes_no_sense_is_refused_with_what_would() {
        for (text, told) in [
            ("", "use fixed:4096,65536, pow2, tlsf or exact"),
            ("pow2:3", "use fixed:4096,65536, pow2, tlsf or exact"),
            ("fixed:", "bucket limit '': use whole bytes"),
            ("fixed:4096,", "bucket limit '': use whole bytes"),
            ("fixed:0", "bucket limit '0'"),
            ("fixed:-1", "bucket limit '-1'"),
            ("fixed:9223372036854775808", "2^63-1"),
            ("fixed:8,4", "bucket limit 4 follows 8"),
            ("fixed:8,8", "bucket limit 8 follows 8"),
            ("tlsf:63", "second level bits '63'"),
            ("tlsf:x\x1b[2J", "second level bits 'x\u{fffd}[2J'"),
        ] {
            let error = text.parse::<Buckets>().unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
    }
}
