export default {
  name: 'import and create a heap, cold',
  repetitions: 15,
  bars: [{ of: 'both, ms', most: 25 }],
  async figures() {
    const start = performance.now();
    const { createHeap } = await import('slabring');
    const imported = performance.now();
    await createHeap();
    const end = performance.now();
    return { 'import, ms': imported - start, 'both, ms': end - start };
  },
};
