//! Every victim rule and fit, early FREEs and early reloads: each beats the classic policy somewhere, and whatever is put
//! together gives plans that hold.

mod common;

#[path = "policies/earned.rs"]
mod earned;
#[path = "policies/generated.rs"]
mod generated;
#[path = "policies/told.rs"]
mod told;
