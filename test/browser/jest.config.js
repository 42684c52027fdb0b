export default {
  rootDir: '../..',
  transform: {},
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/browser/*.test.js'],
  // Browsers beside each other would take time from one another, and some tests look at the clock.
  maxWorkers: 1,
  testTimeout: 120_000,
};
