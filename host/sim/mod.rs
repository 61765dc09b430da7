//! Many seeded games on several threads.
