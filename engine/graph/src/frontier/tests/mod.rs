mod joins;
mod losers;
mod order;
mod walk;
