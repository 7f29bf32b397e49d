import { type ServiceProcess, startService } from '../../support/service/service.js';
import { samplesSuite } from './samples-suite.js';

describe('samples of an organisation on the embedded store', function () {
  this.timeout(240_000);
  let service: ServiceProcess;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  samplesSuite({
    service: () => service,
    async restart(environment) {
      await service.stop();
      service = await startService({ dataDirectory: service.dataDirectory, environment });
    },
  });
});
