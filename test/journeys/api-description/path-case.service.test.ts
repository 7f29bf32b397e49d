import { expect } from 'chai';
import { type SharedService, sharedService } from '../../support/service/shared-service.js';

describe('paths in other letters', () => {
  let service: SharedService;

  before(async () => {
    service = await sharedService();
  });

  it('are no routes: a proxy that keeps a path from the public compares it letter by letter', async () => {
    const { paths } = (await (await fetch(`${service.origin}/openapi.json`)).json()) as { paths: object };
    const known = [...Object.keys(paths), '/console', '/console/listeners', '/portal', '/docs'];
    expect(known).to.include('/metrics');
    const answered: string[] = [];
    for (const path of known) {
      const { status } = await fetch(`${service.origin}${path.toUpperCase()}`);
      if (status !== 404) answered.push(`${path.toUpperCase()} ${status}`);
    }
    expect(answered).to.deep.equal([]);
  });
});
