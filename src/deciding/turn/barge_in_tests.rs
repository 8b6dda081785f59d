//! Table tests of interruptions.
