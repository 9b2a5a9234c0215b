//! What the system says of memory. Where there is no `/proc`, it says nothing.

use std::fs::read_to_string;

/// Memory of this process that is in the machine's memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resident {
    /// Now (`VmRSS`).
    pub now: u64,
    /// The most since the process began (`VmHWM`).
    pub most: u64,
}

/// Of this process.
pub fn resident() -> Option<Resident> {
    let status = read_to_string("/proc/self/status").ok()?;
    Some(Resident { now: bytes(&status, "VmRSS:")?, most: bytes(&status, "VmHWM:")? })
}

/// Bytes that can be had without swapping (`MemAvailable`).
pub fn available() -> Option<u64> {
    bytes(&read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// The entry `name` of a text of lines like `VmRSS:   1234 kB`.
fn bytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_and_what_is_no_number_is_not() {
        let text = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t1024 kB\nVmLck:\t? kB\n";
        assert_eq!((bytes(text, "VmRSS:"), bytes(text, "VmHWM:")), (Some(1 << 20), Some(2 << 20)));
        assert_eq!((bytes(text, "VmLck:"), bytes(text, "VmSwap:")), (None, None));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells() {
        let resident = resident().expect("there is /proc");
        assert!(resident.now > 0 && resident.now <= resident.most);
        assert!(available().is_some_and(|bytes| bytes > 0));
    }
}
