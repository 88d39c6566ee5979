"""Speed, memory and accuracy beside what a user would pick instead: ``python -m benchmarks CORPUS``."""
