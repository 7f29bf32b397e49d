import { z } from 'zod';
import { clientScope } from '../../events/client-events.js';
import { beganAt } from '../../events/imported.js';
import { InvalidRequest } from '../../kernel/domain-error.js';
import { parseInput } from '../../kernel/input/parse-input.js';
import { opaqueId } from '../../kernel/input/texts.js';
import type { Perform } from '../../stores/event-store/dry-run.js';
import type { RegisteredClients } from '../clients/client-registry.js';
import { ClientNotFound } from '../errors.js';
import { notReserved } from '../reserved-organisation.js';
import { importedSessionId, sessionDecider, sessionStream } from './session.js';
import { importSession } from './session-commands.js';

const line = z.strictObject({
  orgId: opaqueId,
  userId: opaqueId,
  refreshTokenSha256: z
    .string()
    .regex(/^([0-9a-fA-F]{64}|[\w-]{43})$/, { error: 'must be a SHA-256 in hexadecimal or base64url' })
    .transform((text) => Buffer.from(text, text.length === 64 ? 'hex' : 'base64url').toString('base64url')),
  clientId: z.string().optional(),
  scopes: z.array(clientScope).min(1).optional(),
  issuedAt: beganAt,
});

type SessionImport = {
  perform: Perform;
  /** The current master key. */
  keyGeneration: string;
  clients: RegisteredClients;
  now: () => Date;
};

/** Begins the session of a line; false: it is known. Throws `InvalidRequest`, `ClientNotFound` and `Forbidden`. */
export const sessionImport =
  ({ perform, keyGeneration, clients, now }: SessionImport) =>
  async (input: unknown): Promise<boolean> => {
    const { refreshTokenSha256: refreshTokenHash, issuedAt, ...fields } = parseInput(line, input);
    notReserved(fields.orgId);
    const sessionId = importedSessionId(refreshTokenHash);
    const session = { ...fields, ...clientOf(fields, clients), sessionId, refreshTokenHash, keyGeneration, now: now() };
    const { events } = await perform(sessionStream(sessionId), sessionDecider, (known) =>
      importSession({ ...session, beganAt: issuedAt }, known),
    );
    return events.length > 0;
  };

/** Client and scopes of a line; null: the session is bound to the first client that uses it. */
function clientOf(
  { clientId, scopes }: Pick<z.output<typeof line>, 'clientId' | 'scopes'>,
  clients: RegisteredClients,
) {
  if (clientId === undefined) {
    if (scopes !== undefined) throw new InvalidRequest('scopes: need a clientId');
    return { clientId: null, scopes: null };
  }
  const client = clients.get(clientId);
  if (!client) throw new ClientNotFound(clientId);
  const exceeding = scopes?.find((scope) => !client.scopes.includes(scope));
  if (exceeding !== undefined) throw new InvalidRequest(`scopes: the client does not have ${exceeding}`);
  return { clientId, scopes: scopes ?? [...client.scopes] };
}
