mod basics;
mod cuts;
mod families;
mod people;
mod reference;
mod stops;
mod world;
