import { type FilterText, filterText } from '../../src/listeners/filters/filter.js';
import type { Json } from '../../src/stores/event-store/event-store.js';

const names = Array.from({ length: 29 }, () => 'x');

/** Different filters of 47 paths of 30 names: each uses up its steps on `costlyData`. */
export const costlyFilters = (count: number): readonly FilterText[] =>
  Array.from({ length: count }, (_, number) => {
    const alternatives = Array.from({ length: 47 }, (_, each) => ({ [[...names, each].join('.')]: number }));
    return filterText({ 'data.a': { $elemMatch: { $or: alternatives } } });
  });

/** 170 KB, in which each path has to be followed to its end. */
export const costlyData: Json = {
  a: Array.from({ length: 950 }, () => names.reduce<Json>((value, name) => ({ [name]: value }), { z: 1 })),
};
