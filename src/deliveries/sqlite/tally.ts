import type Database from 'better-sqlite3';

/** The number of deliveries in each state, updated in the transaction that changes them: counting rows would be slow. */
export type Tally = {
  readonly add: (state: number, deliveries: number) => void;
  readonly of: (state: number) => number;
};

/** Collects the changes of many deliveries, to write each counter once. */
export class TallyChanges {
  private readonly changes = new Map<number, number>();

  add(state: number, deliveries: number): void {
    this.changes.set(state, (this.changes.get(state) ?? 0) + deliveries);
  }

  move(from: number, to: number): void {
    this.add(from, -1);
    this.add(to, 1);
  }

  writeTo(tally: Tally): void {
    for (const [state, deliveries] of this.changes) tally.add(state, deliveries);
  }
}

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
