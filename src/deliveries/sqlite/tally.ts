import type Database from 'better-sqlite3';

/** How many deliveries are in each state; kept up in the transaction that changes them, so that nobody has to count. */
export type Tally = {
  readonly add: (state: number, deliveries: number) => void;
  readonly of: (state: number) => number;
};

export function openTally(database: Database.Database): Tally {
  const change = database.prepare('UPDATE tally SET deliveries = deliveries + ? WHERE state = ?');
  const read = database.prepare<[number], number>('SELECT deliveries FROM tally WHERE state = ?').pluck();
  return {
    add(state, deliveries) {
      if (deliveries !== 0) change.run(deliveries, state);
    },
    of: (state) => read.get(state) ?? 0,
  };
}
