// What belongs to one document: a module of its own for each.
let busesOfPage = 0;

export const nextBus = () => (busesOfPage += 1);
