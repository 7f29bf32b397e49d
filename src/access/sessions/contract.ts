import { z } from 'zod';
import { opaqueId } from '../../kernel/opaque-id.js';
import { uuidParameter } from '../../kernel/uuid-parameter.js';

// Requests of operators about sessions, in the admin API and the CLI.

const properties = {
  orgId: opaqueId.optional(),
  userId: opaqueId.optional(),
  clientId: z.string().min(1).max(256).optional(),
};

export const listSessionsRequest = { ...properties, state: z.enum(['active', 'revoked']).optional() };

export const revokeSessionsRequest = {
  ...properties,
  sessionId: uuidParameter('must be the ID of a session').optional(),
};
