import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { temporaryDirectory } from '../temporary-directory.js';

/** Port of the receiver that the listeners of the recorded data name. Below the range from which systems choose ports. */
export const receiverPort = 21_130;

/** Recorded with release 1.0.0: see README.md there. */
const dataFolder = resolve('test/support/releases/data-1.0.0');
const archive = join(dataFolder, 'data.tar.gz');
const descriptionPath = join(dataFolder, 'recorded.json');

export type RecordedListener = {
  orgId: string;
  path: string;
  listenerId: string;
  signingSecret: string;
};

export type RecordedData = {
  release: string;
  listeners: Readonly<Record<'active' | 'selective' | 'paused' | 'removed' | 'other', RecordedListener>>;
  /** Flow events of `acme`, by the state of their deliveries to the active and the paused listener. */
  events: { delivered: string; waiting: string; waitingWebhookId: string };
  refreshToken: string;
  apiKey: string;
};

export const recorded = (): RecordedData => JSON.parse(readFileSync(descriptionPath, 'utf8')) as RecordedData;

/** Settings that keep recorded data valid, however old. */
export const withoutRetention: Readonly<Record<string, string>> = {
  DELIVERY_RETENTION: '3650d',
  PUBLISH_MEMORY: '3650d',
  REFRESH_IDLE: '3650d',
  SESSION_LIFETIME: '3650d',
};

/** A data directory with a copy of what was recorded. */
export function unpackedData(): string {
  const directory = temporaryDirectory();
  execFileSync('tar', ['-xzf', archive, '-C', directory]);
  return directory;
}
