//! How much memory this process holds.

/// Resident memory in bytes, from `/proc/self/status`; none where there is no such file.
pub fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    // The file gives kilobytes whatever the page size; `statm` counts pages.
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn linux_tells() {
        assert!(super::resident().is_some_and(|bytes| bytes > 100_000));
    }
}
