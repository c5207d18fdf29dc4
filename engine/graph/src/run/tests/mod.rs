mod basics;
mod cuts;
mod example;
mod families;
mod people;
mod reference;
mod stops;
mod world;
