"""Train area classifiers: labelled abstracts -> a model directory."""

from training.classifier import AreaClassifier
from training.counts import NgramCounts, count_ngrams
from training.dataset import Dataset, load_dataset

__all__ = ["AreaClassifier", "Dataset", "NgramCounts", "count_ngrams", "load_dataset"]
