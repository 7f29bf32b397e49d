import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { startReceiver } from '../../support/receivers-of-listeners/receiver.js';
import {
  exchange,
  probe,
  publish,
  refresh,
  signedCode,
  subscribe,
  type Tokens,
  unsubscribe,
} from '../../support/service/journey.js';
import { startService } from '../../support/service/service.js';
import { until } from '../../support/until.js';

const filesBelow = (directory: string): string[] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });

describe('secrets', function () {
  this.timeout(120_000);

  it('is in no log line, and no usable token or key is in the stores', async () => {
    const receiver = await startReceiver();
    const service = await startService({ environment: { LOG_LEVEL: 'trace' } });
    const code = await signedCode(service);
    const tokens = (await exchange(service, code)).body as Tokens;
    const rotated = (await refresh(service, tokens.refresh_token)).body as Tokens;
    await probe(service, rotated.access_token);
    await refresh(service, 'g1.garbage');
    const hookUrl = `${receiver.origin}/capability-of-this-listener`;
    const { signingSecret } = await subscribe(service, hookUrl);
    await publish(service, { type: 'flow.completed', data: {} });
    await receiver.has(1);
    receiver.answer(500);
    await publish(service, { type: 'flow.failed', data: {} });
    await receiver.has(2);
    await unsubscribe(service, hookUrl);
    await unsubscribe(service, `${receiver.origin}/capability-of-no-listener`);
    await service.stop();
    await receiver.close();

    const bearerSecrets = [code, ...Object.values(tokens), ...Object.values(rotated), signingSecret]
      .filter((value): value is string => typeof value === 'string' && value.length > 40)
      .concat(signingSecret.replace('whsec_', ''));
    const stored = filesBelow(service.dataDirectory)
      .filter((path) => path.includes('.db'))
      .map((path) => ({ path, bytes: readFileSync(path) }));
    expect(stored).not.to.have.length(0);
    for (const secret of bearerSecrets) {
      expect(service.printed()).not.to.include(secret);
      for (const { path, bytes } of stored)
        expect(bytes.includes(secret), `${secret.slice(0, 12)}… in ${path}`).to.equal(false);
    }
    expect(service.printed()).not.to.include('capability-of');
    await until(() => service.printed().includes('"path":"/access"'), 'the log of the requests');
  });
});
