import { notRun } from '../../support/not-run.js';
import { fuzzRoutes } from '../../support/schemathesis/fuzz-routes.js';
import { installSchemathesis } from '../../support/schemathesis/install-schemathesis.js';
import { startService } from '../../support/service/service.js';

const limitMs = 600_000;

describe('generated requests to every route, by schemathesis', function () {
  this.timeout(limitMs);
  const missing = schemathesisMissing();
  if (missing) {
    notRun('generated requests to every route', missing);
    return;
  }
  describe('on the embedded store', () => {
    fuzzRoutes((environment) => startService({ environment }), 30);
  });
});

function schemathesisMissing(): Error | undefined {
  try {
    installSchemathesis();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
