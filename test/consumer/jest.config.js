export default {
  rootDir: '../..',
  transform: {},
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/consumer/*.test.js'],
  globalSetup: '<rootDir>/test/consumer/support/pack.js',
  globalTeardown: '<rootDir>/test/consumer/support/unpack.js',
  maxWorkers: 2,
  testTimeout: 120_000,
};
