import { expect } from 'chai';
import { operationalTypes } from '../../../src/events/operational-events.js';
import { samplePayload } from '../../../src/flows/samples/static-samples.js';

describe('a sample', () => {
  it('is the documented example if an operational event is selected, so that a transformation finds its fields', () => {
    const sampleOf = (subscriptionType: string) => {
      const { type, data } = samplePayload(subscriptionType);
      return { type, data };
    };
    const { example } = operationalTypes['delivery.exhausted'];
    expect(sampleOf('delivery.exhausted')).to.eql({ type: 'delivery.exhausted', data: example });
    expect(sampleOf('listener.*')).to.eql({
      type: 'listener.failing',
      data: operationalTypes['listener.failing'].example,
    });
    expect(sampleOf('*').type).to.equal('flow.started');
  });
});
