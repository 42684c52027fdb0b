export default {
  rootDir: '../..',
  transform: {},
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/consumer/*.test.js'],
  globalSetup: '<rootDir>/test/consumer/support/pack.js',
  globalTeardown: '<rootDir>/test/consumer/support/unpack.js',
  maxWorkers: 2,
  // A busy machine is no failure; what hangs is.
  testTimeout: 300_000,
};
