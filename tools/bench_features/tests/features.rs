//! A price means something only if what it is for happens.

#[test]
fn every_feature_is_used_in_every_tick_by_tables_and_by_code() {
    statewright_bench_features::once().unwrap();
}
