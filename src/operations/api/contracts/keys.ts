import { z } from 'zod';
import { adminRoute } from '../routing/admin-route.js';

export const listKeysRoute = adminRoute({
  method: 'get',
  path: '/keys',
  subject: 'Keys',
  summary: 'List the signing keys and master keys',
  description: 'Of this instance and of the record, without key material.',
  answer: { schema: z.unknown(), example: {} },
  errors: [],
  access: { role: 'viewer', organisation: 'service' },
});

export const keyContracts = [listKeysRoute];
