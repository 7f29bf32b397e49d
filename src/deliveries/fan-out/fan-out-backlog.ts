import pLimit from 'p-limit';
import { readFlowEvent } from '../../flows/flow-event.js';
import type { SearchablePaths } from '../../flows/types/search-terms.js';
import type { WaitingEvent } from '../../queue/delivery.js';
import type { FanOutCheckpoint } from '../../queue/fan-out-batch.js';
import { categoryOf, type RecordedEvent } from '../../stores/event-store/event-store.js';
import { readFirstIfExists } from '../../stores/event-store/read-if-exists.js';
import { FanOutBatchBuilder } from './fan-out-batch-builder.js';
import { gatherDeliveries, gatherListenerEvent } from './fan-out-event.js';
import type { FanOutSettings } from './fan-out-settings.js';
import { rememberListeners } from './listeners.js';
import { type Pace, waitingPaces } from './pace.js';

const maxAtOnce = 8;

type Backlog = {
  signal: AbortSignal;
  /** Readers of the partitions of the pass. */
  readers: readonly string[];
  /** Runs a step while no batch of the pass is handled, with the latest checkpoint of the organisation's partition. */
  beside: <Result>(orgId: string, step: (checkpoint: FanOutCheckpoint) => Promise<Result>) => Promise<Result>;
  /** Resolves once the view holds all listener events that the pass has read. */
  waitForView: () => Promise<void>;
  onFailure: (error: unknown) => void;
  searchableOf: SearchablePaths;
};

/** `ended`: listeners that have ended since its events began to wait. */
type Organisation = { orgId: string; pace: Pace; ended: Set<string> };

/**
 * Hands over the events that wait behind the checkpoint: of each organisation in their order, of the organisations in
 * turns.
 */
export class FanOutBacklog {
  private readonly organisations = new Map<string, Organisation>();
  private readonly running = new Set<Promise<void>>();
  private readonly atOnce = pLimit(maxAtOnce);
  private readonly listeners;
  private readonly paceOf;

  constructor(
    private readonly settings: FanOutSettings,
    private readonly backlog: Backlog,
  ) {
    this.listeners = rememberListeners(settings.view.registeredAt);
    this.paceOf = waitingPaces(backlog.signal, settings.monotonicNow);
  }

  async begin(): Promise<void> {
    const { queue } = this.settings;
    for (const { orgId } of await queue.waiting(this.backlog.readers)) this.add(orgId);
  }

  has(orgId: string): boolean {
    return this.organisations.has(orgId);
  }

  get size(): number {
    return this.organisations.size;
  }

  add(orgId: string): void {
    if (this.organisations.has(orgId)) return;
    const organisation = { orgId, pace: this.paceOf(), ended: new Set<string>() };
    this.organisations.set(orgId, organisation);
    this.handleNext(organisation);
  }

  end(orgId: string, listenerId: string): void {
    this.organisations.get(orgId)?.ended.add(listenerId);
  }

  /** The signal has to be aborted before. */
  async ended(): Promise<void> {
    await Promise.all(this.running);
  }

  private handleNext(organisation: Organisation): void {
    const handled: Promise<void> = this.atOnce(() => this.handleFirst(organisation))
      .catch(this.backlog.onFailure)
      .finally(() => this.running.delete(handled));
    this.running.add(handled);
  }

  private async handleFirst(organisation: Organisation): Promise<void> {
    const { queue } = this.settings;
    const { signal, beside } = this.backlog;
    if (signal.aborted) return;
    const first = await beside(organisation.orgId, async ({ reader }) => {
      const [found] = await queue.waiting([reader], organisation.orgId);
      if (!found) this.forget(organisation);
      return found;
    });
    if (!first) return;
    await this.handOver(organisation, first);
    this.handleNext(organisation); // behind the others
  }

  private forget({ orgId }: Organisation): void {
    this.organisations.delete(orgId);
    this.listeners.forget(orgId);
  }

  private async handOver(organisation: Organisation, event: WaitingEvent): Promise<void> {
    const batch = new FanOutBatchBuilder();
    if (!(await this.gather(batch, organisation, event))) return; // it has been stopped
    const { queue, clock } = this.settings;
    await this.backlog.beside(organisation.orgId, (checkpoint) =>
      queue.enqueue({ ...batch.take(), checkpoint: { ...checkpoint, handedOver: event } }, clock()),
    );
  }

  /** Returns false where it has been stopped. */
  private async gather(batch: FanOutBatchBuilder, organisation: Organisation, event: WaitingEvent): Promise<boolean> {
    const { stream, revision, position } = event;
    const recorded = await readFirstIfExists(this.settings.store.readStream(stream, { from: revision, limit: 1 }));
    if (recorded?.position !== position) return true; // it has been deleted since
    try {
      if (categoryOf(stream) !== 'listener') return await this.gatherFlowEvent(batch, organisation, recorded);
      this.listeners.forget(gatherListenerEvent(batch, recorded).orgId);
    } catch (error) {
      batch.setAside(error); // a later release wrote it, before the service went back to this one
    }
    return true;
  }

  private async gatherFlowEvent(batch: FanOutBatchBuilder, organisation: Organisation, recorded: RecordedEvent) {
    const { queue, clock } = this.settings;
    const { position } = recorded;
    const event = readFlowEvent(recorded);
    await this.backlog.waitForView();
    const handOver = () => queue.enqueue(batch.take(), clock());
    const registered = this.listeners.at(event.orgId, position);
    const searchable = await this.backlog.searchableOf(event.type);
    const hasEnded = (listenerId: string) => organisation.ended.has(listenerId);
    const gathering = { event, position, registered, searchable, hasEnded };
    return gatherDeliveries(batch, gathering, { handOver, pace: organisation.pace });
  }
}
