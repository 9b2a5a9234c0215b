use super::*;

mod against_model;

fn pool(cap: u64) -> Pool {
    Pool::new(Buckets::default(), cap, None)
}

fn read_by(consumers: u32, size: u64) -> Request {
    Request { size, consumers, zero_fill: false }
}

#[test]
fn a_block_has_its_buckets_size_in_bytes_whatever_was_asked_of_it() {
    let mut pool = pool(1 << 20);
    let small = pool.acquire(read_by(1, 100), 0).unwrap();
    assert_eq!((small.block_size, small.hit), (4096, false));
    pool.consume(small.handle, 1).unwrap();
    let larger = pool.acquire(read_by(1, 4000), 2).unwrap();
    assert!(larger.hit, "the block of 100 bytes holds 4000");
    assert_eq!(larger.handle.block, small.handle.block);
    pool.consume(larger.handle, 3).unwrap();
    assert!(!pool.acquire(read_by(1, 4097), 4).unwrap().hit, "and not 4097");
}

#[test]
fn the_block_released_last_is_taken_first() {
    let mut pool = pool(1 << 20);
    let blocks = [0, 1].map(|now| pool.acquire(read_by(1, 10), now).unwrap().handle);
    pool.consume(blocks[1], 2).unwrap();
    pool.consume(blocks[0], 3).unwrap();
    assert_eq!(pool.acquire(read_by(1, 10), 4).unwrap().handle.block, blocks[0].block);
}

#[test]
fn the_count_starts_at_the_consumers() {
    let mut pool = pool(1 << 20);
    let output = pool.acquire(read_by(2, 10), 0).unwrap().handle;
    assert_eq!(pool.consume(output, 1), Ok(false), "the second consumer has not started");
    assert!(!pool.acquire(read_by(1, 10), 2).unwrap().hit, "so nobody else gets the block");
    assert_eq!(pool.consume(output, 3), Ok(true));
    assert_eq!(pool.consume(output, 4), Err(PoolError::Released));
}

#[test]
fn a_count_grown_as_consumers_start_releases_early_and_the_second_reader_is_told() {
    let mut pool = pool(1 << 20);
    let output = pool.acquire(read_by(0, 10), 0).unwrap().handle;
    pool.add_consumer(output).unwrap();
    assert_eq!(pool.consume(output, 1), Ok(true), "the sketch's fault");
    assert_eq!(pool.check(output), Err(PoolError::Released), "though nobody has taken it yet");
    let other = pool.acquire(read_by(1, 10), 2).unwrap().handle;
    assert_eq!(other.block, output.block);
    assert_eq!(pool.add_consumer(output), Err(PoolError::Reused));
    assert_eq!(pool.consume(output, 3), Err(PoolError::Reused), "which leaves the other's count alone");
    assert_eq!(pool.consume(other, 4), Ok(true));
}

#[test]
fn the_longest_idle_make_way_under_the_cap_before_a_request_is_refused() {
    let mut pool = pool(3 * 4096 + 65536);
    let small = [0, 1, 2].map(|now| pool.acquire(read_by(1, 10), now).unwrap().handle);
    for (now, at) in [(3, 1), (4, 2), (5, 0)] {
        pool.consume(small[at], now).unwrap();
    }
    pool.acquire(read_by(1, 65536 + 2 * 4096), 6).unwrap();
    let gone = |at: usize| Dropped { block: small[at].block, size: 4096, why: DropReason::OverCap };
    assert_eq!(pool.dropped(), [gone(1), gone(2)], "no more than needed");
    assert_eq!((pool.stats().in_use, pool.stats().idle), (65536 + 2 * 4096, 4096));

    let refused = pool.acquire(read_by(1, 5000), 7).unwrap_err();
    let in_use = 65536 + 2 * 4096;
    assert_eq!(refused, NoRoom { need: 65536, in_use, idle: 4096, cap: 3 * 4096 + 65536 });
    assert!(pool.acquire(read_by(1, 10), 8).unwrap().hit, "the idle block was not dropped in vain");
}

#[test]
fn a_refusal_changes_nothing_not_even_what_is_too_old() {
    let mut pool = Pool::new(Buckets::Exact, 100, Some(5));
    let block = pool.acquire(read_by(1, 60), 0).unwrap().handle;
    pool.consume(block, 1).unwrap();
    pool.acquire(read_by(1, 30), 2).unwrap();
    let before = format!("{pool:?}");
    assert!(pool.acquire(read_by(1, 71), 50).is_err());
    assert_eq!(pool.room_for(70), Ok(70), "one byte less would fit");
    assert_eq!(format!("{pool:?}"), before);
}

#[test]
fn a_full_pool_still_hits() {
    let mut pool = pool(4096);
    let block = pool.acquire(read_by(1, 10), 0).unwrap().handle;
    pool.consume(block, 1).unwrap();
    assert!(pool.acquire(read_by(1, 20), 2).unwrap().hit);
    assert!(pool.dropped().is_empty());
}

#[test]
fn outputs_of_the_graph_stay_until_they_are_released() {
    let mut pool = pool(1 << 20);
    let output = pool.acquire(read_by(1, 10), 0).unwrap().handle;
    pool.keep(output).unwrap();
    assert_eq!(pool.release(output, 1), Err(PoolError::StillRead { consumers: 1 }));
    assert_eq!(pool.consume(output, 2), Ok(false));
    assert_eq!(pool.consume(output, 3), Err(PoolError::NoConsumer));
    assert_eq!(pool.check(output), Ok(()));
    assert_eq!(pool.release(output, 4), Ok(()));
    assert_eq!(pool.release(output, 5), Err(PoolError::Released));
}

#[test]
fn calls_that_break_the_rules_are_answered_and_change_nothing() {
    let mut pool = pool(1 << 20);
    let unread = pool.acquire(read_by(0, 10), 0).unwrap().handle;
    let crowded = pool.acquire(read_by(u32::MAX, 10), 0).unwrap().handle;
    let unknown = Handle { block: BlockId(7), generation: 0 };
    let future = Handle { generation: 1, ..unread };
    let before = format!("{pool:?}");
    assert_eq!(pool.consume(unread, 1), Err(PoolError::NoConsumer));
    assert_eq!(pool.add_consumer(crowded), Err(PoolError::TooManyConsumers));
    assert_eq!(pool.consume(future, 1), Err(PoolError::Reused));
    for result in [pool.add_consumer(unknown), pool.keep(unknown), pool.release(unknown, 1), pool.check(unknown)] {
        assert_eq!(result, Err(PoolError::Unknown));
    }
    assert_eq!(pool.generation(BlockId(7)), None);
    assert_eq!(format!("{pool:?}"), before);
}

#[test]
fn the_real_size_counts_as_asked_for_and_past_the_block_it_is_an_overrun() {
    let mut pool = pool(1 << 20);
    let block = pool.acquire(read_by(1, 4000), 0).unwrap().handle;
    assert_eq!(pool.stats().waste, 96);
    assert_eq!(pool.resize_report(block, 96), Ok(()));
    assert_eq!(pool.resize_report(block, 4097), Err(PoolError::Overrun { actual: 4097, block_size: 4096 }));
    assert_eq!((pool.stats().waste, pool.stats().worst_waste), (4000, 4000));
    assert_eq!(pool.resize_report(block, 4096), Ok(()));
    assert_eq!(pool.stats().waste, 0);
    pool.consume(block, 1).unwrap();
    assert_eq!((pool.stats().waste, pool.stats().worst_waste), (0, 4000));
    assert_eq!(pool.resize_report(block, 1), Err(PoolError::Released));
}

#[test]
fn a_pool_of_age_0_uses_nothing_again() {
    let mut pool = Pool::new(Buckets::Exact, 1 << 20, Some(0));
    let block = pool.acquire(read_by(1, 10), 5).unwrap().handle;
    pool.consume(block, 5).unwrap();
    assert!(!pool.acquire(read_by(1, 10), 5).unwrap().hit);
    assert_eq!(pool.stats().held(), 10);
}

#[test]
fn idle_blocks_go_once_they_have_the_greatest_age() {
    let mut pool = Pool::new(Buckets::default(), 1 << 20, Some(10));
    let blocks = [0, 1].map(|now| pool.acquire(read_by(1, 10), now).unwrap().handle);
    pool.consume(blocks[0], 5).unwrap();
    pool.consume(blocks[1], 8).unwrap();
    pool.age(14);
    assert!(pool.dropped().is_empty(), "idle for 9");
    pool.age(15);
    assert_eq!(pool.dropped(), [Dropped { block: blocks[0].block, size: 4096, why: DropReason::Aged }]);
    assert!(!pool.acquire(read_by(1, 10), 18).unwrap().hit, "what is too old is not handed out");
    assert_eq!((pool.stats().aged_out, pool.stats().dropped_over_cap), (2, 0));
}

#[test]
fn only_a_used_block_for_which_it_was_asked_must_be_zeroed() {
    let mut pool = pool(1 << 20);
    let zeroed = Request { size: 10, consumers: 1, zero_fill: true };
    let fresh = pool.acquire(zeroed, 0).unwrap();
    assert!(!fresh.must_zero, "fresh memory is zero");
    pool.consume(fresh.handle, 1).unwrap();
    let reused = pool.acquire(zeroed, 2).unwrap();
    assert!(reused.must_zero);
    pool.consume(reused.handle, 3).unwrap();
    assert!(!pool.acquire(read_by(1, 10), 4).unwrap().must_zero);
}

#[test]
fn the_largest_numbers_are_refused_or_held_and_never_wrap() {
    let mut pool = Pool::new(Buckets::PowersOfTwo, u64::MAX, None);
    assert_eq!(pool.cap(), MAX_NUMBER);
    let refused = NoRoom { need: NoRoom::BEYOND, in_use: 0, idle: 0, cap: MAX_NUMBER };
    for size in [(1 << 62) + 1, MAX_NUMBER, u64::MAX] {
        assert_eq!(pool.acquire(read_by(1, size), 0), Err(refused));
    }
    let half = pool.acquire(read_by(1, 1 << 62), u64::MAX).unwrap().handle;
    assert!(pool.acquire(read_by(1, 1 << 62), 0).is_err(), "twice 2^62 is one too many");
    pool.consume(half, 0).unwrap();
    pool.age(u64::MAX);
    assert!(Pool::new(Buckets::Exact, 0, None).acquire(read_by(1, 0), 0).is_err(), "a block has at least one byte");
}

#[test]
fn a_dropped_blocks_id_is_used_again_and_its_old_handles_stay_stale() {
    let mut pool = Pool::new(Buckets::Exact, 10, None);
    let mut old = Vec::new();
    for size in (1..=10).cycle().take(1000) {
        let handle = pool.acquire(read_by(1, size), 0).unwrap().handle;
        pool.consume(handle, 0).unwrap();
        old.push(handle);
    }
    assert!(pool.blocks.len() <= 5, "no more ids than blocks at once");
    assert!(pool.usage().count() <= 4, "no bucket without blocks");
    assert!(old.iter().all(|&handle| pool.check(handle).is_err()));
}

#[test]
fn usage_lists_busy_and_idle_by_size() {
    let mut pool = pool(1 << 20);
    let handles = [10, 20, 5000, 100_000].map(|size| pool.acquire(read_by(1, size), 0).unwrap().handle);
    pool.consume(handles[1], 1).unwrap();
    pool.consume(handles[2], 1).unwrap();
    let row = |block_size, busy, idle| BucketUse { block_size, busy, idle };
    assert!(pool.usage().eq([row(4096, 1, 1), row(65536, 0, 1), row(100_000, 1, 0)]));
}
