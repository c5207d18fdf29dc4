mod case21;
mod cuts;
mod deeds;
mod hooks;
mod world;
