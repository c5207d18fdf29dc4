mod actions;
mod case21;
mod cuts;
mod hooks;
mod world;
