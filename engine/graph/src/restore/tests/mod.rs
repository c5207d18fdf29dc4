mod another;
mod positions;
mod world;
