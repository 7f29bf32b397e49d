import type { Projection } from './projection.js';

/** `<name>.v<version>.<run>`: one building of a projection. Builds of one projection never touch each other. */
export type BuildName = string;

/** One version of a projection: each has builds, a lease and rebuilds of its own. */
export const viewOf = ({ name, version }: Projection): string => `${name}.v${version}`;

export const buildName = (projection: Projection, run: string): BuildName => `${viewOf(projection)}.${run}`;
