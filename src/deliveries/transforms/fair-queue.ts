import { LRUCache } from 'lru-cache';

/** Maximum number of organisations whose use is remembered. */
const maxOrganisations = 10_000;

/**
 * Start-time fair queueing by processing time: the waiting organisation with the least use is next; its owners
 * alternate. An idle one gets no credit.
 */
export class FairQueue<Job> {
  /** Jobs by organisation and owner; an organisation's first owner is next. */
  private readonly waiting = new Map<string, Map<string, Job[]>>();
  private readonly usedMs = new LRUCache<string, number>({ max: maxOrganisations });
  /** The use of the organisation whose job was taken last. */
  private servedMs = 0;

  add(orgId: string, owner: string, job: Job): void {
    const owners = this.waiting.get(orgId) ?? new Map<string, Job[]>();
    if (owners.size === 0) {
      this.waiting.set(orgId, owners);
      this.usedMs.set(orgId, Math.max(this.usedOf(orgId), this.servedMs));
    }
    const jobs = owners.get(owner);
    if (jobs) jobs.push(job);
    else owners.set(owner, [job]);
  }

  /** Removes and returns the next job; undefined if none waits. */
  take(): Job | undefined {
    let next: [orgId: string, owners: Map<string, Job[]>, usedMs: number] | undefined;
    for (const [orgId, owners] of this.waiting) {
      const usedMs = this.usedOf(orgId);
      if (!next || usedMs < next[2]) next = [orgId, owners, usedMs];
    }
    if (!next) return undefined;
    const [orgId, owners, usedMs] = next;
    const [first] = owners;
    if (!first) return undefined;
    const [owner, jobs] = first;
    const job = jobs.shift();
    owners.delete(owner);
    if (jobs.length > 0) owners.set(owner, jobs); // behind the others
    this.waiting.delete(orgId);
    if (owners.size > 0) this.waiting.set(orgId, owners); // behind others that have used as much
    this.servedMs = Math.max(this.servedMs, usedMs);
    return job;
  }

  /** Counts the time that a job took. */
  charge(orgId: string, ms: number): void {
    this.usedMs.set(orgId, this.usedOf(orgId) + ms);
  }

  /** Removes and returns all jobs. */
  clear(): readonly Job[] {
    const jobs = [...this.waiting.values()].flatMap((owners) => [...owners.values()].flat());
    this.waiting.clear();
    return jobs;
  }

  private usedOf(orgId: string): number {
    return this.usedMs.get(orgId) ?? this.servedMs;
  }
}
