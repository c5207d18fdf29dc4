mod basics;
mod families;
mod people;
mod stops;
mod world;
