import { fuzzRoutes } from '../../support/schemathesis/fuzz-routes.js';
import { generatedRequests } from '../../support/schemathesis/generated-requests.js';
import { withSchemathesis } from '../../support/schemathesis/with-schemathesis.js';
import { type ServiceProcess, startService } from '../../support/service/service.js';

withSchemathesis('generated requests to every route, on the embedded store', () => {
  fuzzRoutes((environment) => startService({ environment }), { maxExamples: 2, coverage: true, eachCredential: true });
});

withSchemathesis('generated requests to the routes that development mode alone has', () => {
  const requests = generatedRequests();
  let service: ServiceProcess;
  before(async () => {
    service = await startService();
  });
  after(async () => {
    await service.stop();
    console.log(requests.summary());
  });

  it('are answered as described', () =>
    requests.send(
      service,
      { credentials: {}, known: {}, maxExamples: 5, coverage: true, stateful: false },
      '--include-path',
      '/sign-in',
    ));
});
