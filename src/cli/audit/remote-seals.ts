import { createWriteStream, openAsBlob } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { SealRefused } from '../../audit/errors.js';
import { openSeal, type SealStatement, verifyStatement } from '../../audit/seals/seal-file.js';
import type { SealCheck, SealSummary, ShownFinding } from '../../audit/seals/seals.js';
import { send } from '../connection/remote-api.js';
import type { Remote } from '../connection/target.js';

const path = '/admin/api/audit/seals';

/** Has the service make a seal, and saves it in a file that does not exist yet. Throws `SealRefused`, and the service's errors. */
export async function downloadSeal(remote: Remote, file: string): Promise<SealStatement> {
  await (await open(file, 'wx', 0o600).catch(refuse(file, 'written'))).close();
  try {
    const { body } = await send(remote, path, { method: 'POST' });
    await pipeline(Readable.fromWeb((body ?? new ReadableStream()) as ReadableStream), createWriteStream(file));
    const seal = await openSeal(file);
    try {
      const { thumbprint: _, ...statement } = await verifyStatement(await seal.statement());
      return statement;
    } finally {
      await seal.close();
    }
  } catch (error) {
    await rm(file);
    throw error;
  }
}

/** Has the service compare its history with the seal in a file. Throws `SealRefused`, and the service's errors. */
export async function checkRemotely(
  remote: Remote,
  file: string,
  thumbprint: string | undefined,
  onFinding: (finding: ShownFinding) => void,
): Promise<SealSummary> {
  const query = thumbprint === undefined ? '' : `?${new URLSearchParams({ thumbprint })}`;
  const response = await send(remote, `${path}/check${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: await openAsBlob(file).catch(refuse(file, 'read')),
  });
  const { findings, ...checked } = (await response.json()) as SealCheck; // as the route is described
  findings.forEach(onFinding);
  return checked;
}

const refuse =
  (file: string, what: string) =>
  (error: unknown): never => {
    throw new SealRefused(`${file} cannot be ${what}: ${(error as Error).message}`);
  };
