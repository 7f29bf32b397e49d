import type { UpdateFilter } from 'mongodb';
import { insertNew } from '../../../stores/mongodb/insert-new.js';
import type { ActivityQuery, MinuteOfActivity } from '../../queue/delivery-log.js';
import { type ActivityCounts, keepActivityMs, minuteMs, noActivity } from '../../queue/policy/activity.js';
import type { ActivityRow, Collections } from '../collections.js';

/**
 * The activity of the whole service by minute. Written after what it counts: a process that dies in between leaves that batch
 * uncounted.
 */
export type Activity = {
  /** `now`: milliseconds since 1970. */
  readonly add: (counts: ActivityCounts, now: number) => Promise<void>;
  readonly list: (query: ActivityQuery) => Promise<readonly MinuteOfActivity[]>;
};

export function openActivity({ activity }: Pick<Collections, 'activity'>): Activity {
  let known = Number.NEGATIVE_INFINITY;

  /** Inserted before updates, so that writers never race to create it. Removes old minutes when another one begins. */
  async function make(at: number): Promise<void> {
    if (at === known) return;
    const existing = await insertNew(activity, [{ _id: new Date(at), ...noActivity }]);
    if (existing.length === 0) await activity.deleteMany({ _id: { $lt: new Date(at - keepActivityMs) } });
    known = at;
  }

  return {
    async add(counts, now) {
      const increments = incrementsOf(counts);
      if (Object.keys(increments).length === 0) return;
      const at = Math.floor(now / minuteMs) * minuteMs;
      await make(at);
      const update = { $inc: increments } as UpdateFilter<ActivityRow>; // `latency.3` is an element of the array
      await activity.updateOne({ _id: new Date(at) }, update, { writeConcern: { w: 1 } });
    },

    async list({ from, to }) {
      const rows = await activity
        .find({ _id: { $gte: new Date(from), $lt: new Date(to) } })
        .sort({ _id: 1 })
        .toArray();
      return rows.map(({ _id, ...counts }) => ({ at: _id.getTime(), ...counts }));
    },
  };
}

/** By the names of the fields; without those that stay. */
function incrementsOf({ latency, duration, ...counts }: ActivityCounts): Readonly<Record<string, number>> {
  const buckets = (name: string, histogram: readonly number[]) =>
    histogram.map((count, index): [string, number] => [`${name}.${index}`, count]);
  const all = [...Object.entries(counts), ...buckets('latency', latency), ...buckets('duration', duration)];
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}
