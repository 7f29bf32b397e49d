import { z } from 'zod';
import { apiKeyScopes } from '../../events/api-key-events.js';
import { opaqueId } from '../../kernel/input/opaque-id.js';
import { printableText } from '../../kernel/input/printable-text.js';

// Input for creating an API key, over HTTP and on the command line.

const scope = z.enum(apiKeyScopes, { error: `must be some of ${apiKeyScopes.join(', ')}` });

export const apiKeyRequest = {
  name: printableText(128, 'must be a text'),
  /** Null: every organisation. Has no default: a key for all organisations must be asked for. */
  orgId: opaqueId.nullable(),
  scopes: z.array(scope, { error: 'must be a list of scopes' }).min(1, { error: 'must name at least one scope' }),
  expiresAt: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' })
    .transform((text) => new Date(text).toISOString())
    .nullable()
    .default(null),
};

const request = z.object(apiKeyRequest);
export type ApiKeyRequest = z.output<typeof request>;
