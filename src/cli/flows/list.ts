import { listFlowEventsRoute, showFlowEventRoute } from '../../admin/api/contracts/flow-events.js';
import type { CommandContext } from '../context.js';
import { wholeNumber } from '../options.js';
import { printRows } from '../output.js';

type ListOptions = { org: string; limit: string };

export async function list({ limit, ...options }: ListOptions, { output, allOf }: CommandContext): Promise<void> {
  printRows(
    output,
    await allOf(listFlowEventsRoute, options, wholeNumber('--limit', limit, 1, 10_000)),
    { recorded: 'recordedAt', type: 'type', event: 'eventId', position: 'position' },
    `${options.org} has no such flow events`,
  );
}

export async function show(eventId: string, options: object, { output, call }: CommandContext): Promise<void> {
  const event = await call(showFlowEventRoute, { ...options, eventId });
  if (output.json) {
    output.write(JSON.stringify(event));
    return;
  }
  const fields = Object.entries(event).map(([field, value]) => ({
    field,
    value: typeof value === 'object' ? JSON.stringify(value) : String(value),
  }));
  printRows(output, fields, { field: 'field', value: 'value' }, '');
}
