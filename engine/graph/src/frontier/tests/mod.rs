mod joins;
mod losers;
mod order;
mod random;
mod walk;
