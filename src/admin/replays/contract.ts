import { z } from 'zod';
import { timestamp } from '../../flows/contract.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { listenerIdParameter, uuidParameter } from '../../kernel/input/uuid-parameter.js';

const aRate = { error: 'must be a number from 0.1 to 10000' };
const aType = { error: 'must be a type such as flow.completed, or flow.* for all below it' };

/** Input that starts a replay, over HTTP and on the command line. */
export const replayRequest = {
  id: uuidParameter('must be a UUID').optional(),
  orgId: opaqueId,
  listenerId: listenerIdParameter.optional(),
  hookUrl: z.string().optional(),
  from: timestamp.optional(),
  to: timestamp.optional(),
  type: z.string().min(1, aType).max(128, aType).optional(),
  eventId: opaqueId.optional(),
  ratePerSecond: z.number(aRate).min(0.1, aRate).max(10_000, aRate).optional(),
};
